import { type ClientRequest, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { etcdSocket } from '../command-line.ts'
import { type RealApiServer, startRealApiServer } from '../real-apiserver.ts'
import { eventually } from './client.ts'

/** Users that RBAC allows nothing but what a test grants, each with the token `token-of-NAME`. */
const users = ['reader', 'one']

/** What watches for what a test leaves open: `tools/vitest/setup.ts` puts it here. */
const watched = globalThis as { readonly wherryLeaks?: { lasting<T>(start: () => T): T } }

interface Shared {
  readonly server: RealApiServer
  /** etcd's revision when the server was ready. */
  readonly revision: string
}

const starting: { shared?: Promise<Shared> } = {}

/**
 * A real API server with RBAC and without controllers that all test files of this process use, one after another: to start
 * one takes more than most files do with it. It is as a new one: what those before made is gone, and no longer served. Three
 * things differ: its revision, what etcd has of former revisions, and what somebody changed of what it had at its start.
 *
 * Without controllers a server puts 60 definitions into force in half a minute, with them in seconds: who defines many starts
 * one with controllers.
 *
 * It ends with this process: to close it does nothing. It may be restarted. Whoever pauses it, counts what it does, fills
 * it, or needs other options starts one of their own.
 */
export async function sharedRealServer(): Promise<RealApiServer> {
  const used = starting.shared !== undefined
  starting.shared ??= lasting(start)
  const shared = await starting.shared
  if (used) await empty(shared)
  return shared.server
}

async function start(): Promise<Shared> {
  const tokens = Object.fromEntries(users.map(name => [`token-of-${name}`, { name, groups: [] }]))
  const server = await startRealApiServer({ tokens })
  const restart = server.restart.bind(server)
  server.restart = how => lasting(() => restart(how))
  server.close = async () => {}
  return { server, revision: `${await server.revision()}` }
}

/** Its process may outlive the test that starts it. */
function lasting<T>(begin: () => T): T {
  return watched.wherryLeaks === undefined ? begin() : watched.wherryLeaks.lasting(begin)
}

/** What the server makes by itself a moment after it is ready, or again and again. */
const ownKeys = /^\/registry\/(?:masterleases|peerserverleases|ranges|ipaddresses)\/|\/kube-|\/kubernetes$/
const definitionKeys = '/registry/apiextensions.k8s.io/customresourcedefinitions/'
const serviceKeys = '/registry/apiregistration.k8s.io/apiservices/'

/**
 * Takes all keys that came since the start out of etcd, whatever finalizers objects have. That the server takes the groups
 * away of definitions that are gone is left to it, and waited for.
 */
async function empty({ server, revision }: Shared): Promise<void> {
  const groups = new Set<string>()
  await eventually(
    async () => {
      const keys = await keysSince(server, revision)
      const defined = keys.filter(key => key.startsWith(definitionKeys)).map(key => groupOf(key, definitionKeys))
      const aggregated = keys.filter(key => key.startsWith(serviceKeys)).map(key => groupOf(key, serviceKeys))
      const gone = new Set(groups)
      for (const group of [...defined, ...aggregated]) groups.add(group)
      for (const group of defined) gone.add(group)
      await remove(
        server,
        keys.filter(key => !(key.startsWith(serviceKeys) && gone.has(groupOf(key, serviceKeys)))),
      )
      return [...keys, ...(keys.length === 0 ? await served(server, groups) : [])]
    },
    left => left.length === 0,
  )
}

/** The group in a name as `games.arcade.example.com` or `v1.arcade.example.com`. */
function groupOf(key: string, prefix: string): string {
  const name = key.slice(prefix.length)
  return name.slice(name.indexOf('.') + 1)
}

/** The documents in which the server still has one of these groups: what it serves, in both forms, and OpenAPI. */
async function served(server: RealApiServer, groups: ReadonlySet<string>): Promise<string[]> {
  if (groups.size === 0) return []
  const json = 'application/json'
  const documents = [
    ['/apis', json],
    ['/apis', `${json};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`],
    ['/openapi/v3', json],
    ...[...groups].map(group => [`/apis/${group}`, json] as const),
  ] as const
  const { url, ca, token } = server
  const found = documents.map(async ([path, accept]) => {
    const headers = { accept, authorization: `Bearer ${token}` }
    const { status, text } = await answer(secure(new URL(path, url), { ca, headers, agent: false }))
    return status === 200 && [...groups].some(group => text.includes(group)) ? [`${path} as ${accept}`] : []
  })
  return (await Promise.all(found)).flat()
}

async function keysSince(server: RealApiServer, revision: string): Promise<string[]> {
  const min_create_revision = `${Number(revision) + 1}`
  const range = { key: base64('/registry/'), range_end: base64('/registry0'), min_create_revision, keys_only: true }
  const { kvs = [] } = JSON.parse(await etcd(server, '/v3/kv/range', range))
  return kvs
    .map(({ key }: { readonly key: string }) => Buffer.from(key, 'base64').toString())
    .filter((key: string) => !ownKeys.test(key))
}

/** No more at once than etcd takes in one transaction. */
async function remove(server: RealApiServer, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += 100) {
    const success = keys.slice(at, at + 100).map(key => ({ request_delete_range: { key: base64(key) } }))
    await etcd(server, '/v3/kv/txn', { success })
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

async function etcd({ folder }: RealApiServer, path: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const socketPath = etcdSocket(folder)
  const { status, text } = await answer(
    plain({ socketPath, path, method: 'POST', agent: false, headers }),
    JSON.stringify(body),
  )
  if (status !== 200) throw new Error(`etcd answered ${path} with ${status}: ${text}`)
  return text
}

function answer(sent: ClientRequest, body?: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    sent.on('error', reject).on('response', response => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end(body)
  })
}
