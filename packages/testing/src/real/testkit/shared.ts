import { etcdSocket } from '../command-line.ts'
import { askEtcd, base64 } from '../etcd-gateway.ts'
import { type RealApiServer, startRealApiServer } from '../real-apiserver.ts'
import { ask, eventually } from './client.ts'

/** Users that have only the rights that a test grants, each with the token `token-of-NAME`. */
const users = ['reader', 'one']

/** The detector of sockets, timers and processes that a test leaves open. `tools/vitest/setup.ts` puts it here. */
const watched = globalThis as { readonly wherryLeaks?: { lasting<T>(start: () => T): T } }

interface Shared {
  readonly server: RealApiServer
  /** etcd's revision when the server was ready. */
  readonly revision: string
}

const starting: { shared?: Promise<Shared> } = {}

/**
 * A real API server with RBAC and without controllers that all test files of this process use, one after another: its start
 * takes longer than most test files. It is like a new server: the objects of earlier files are gone, and their definitions
 * are no longer served. Three things differ: its revision, the former revisions in etcd, and changes of objects that it had at its start.
 *
 * Without controllers, a server takes half a minute to put 60 definitions into force, and with controllers seconds: a test file
 * that creates many definitions starts a server with controllers.
 *
 * The server ends with this process; `close` does nothing. A test may restart it. A test file that pauses the server, counts
 * its requests, fills it, or needs other options starts a server of its own.
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

/** The processes that `begin` starts may outlive the test that starts them. */
function lasting<T>(begin: () => T): T {
  return watched.wherryLeaks === undefined ? begin() : watched.wherryLeaks.lasting(begin)
}

/** Keys of objects that the server creates by itself, a moment after it is ready or again and again. */
const ownKeys = /^\/registry\/(?:masterleases|peerserverleases|ranges|ipaddresses)\/|\/kube-|\/kubernetes$/
const definitionKeys = '/registry/apiextensions.k8s.io/customresourcedefinitions/'
const serviceKeys = '/registry/apiregistration.k8s.io/apiservices/'

/**
 * Removes all keys since the start from etcd, whatever finalizers the objects have. Then waits until the server no longer
 * serves the groups of removed definitions.
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

/** The group in a name such as `games.arcade.example.com` or `v1.arcade.example.com`. */
function groupOf(key: string, prefix: string): string {
  const name = key.slice(prefix.length)
  return name.slice(name.indexOf('.') + 1)
}

/** The documents in which the server still has any of these groups: discovery in both forms, and OpenAPI. */
async function served(server: RealApiServer, groups: ReadonlySet<string>): Promise<string[]> {
  if (groups.size === 0) return []
  const json = 'application/json'
  const documents = [
    ['/apis', json],
    ['/apis', `${json};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`],
    ['/openapi/v3', json],
    ...[...groups].map(group => [`/apis/${group}`, json] as const),
  ] as const
  const found = documents.map(async ([path, accept]) => {
    const { status, body } = await ask(server, 'GET', path, undefined, undefined, accept)
    const text = JSON.stringify(body)
    return status === 200 && [...groups].some(group => text.includes(group)) ? [`${path} as ${accept}`] : []
  })
  return (await Promise.all(found)).flat()
}

async function keysSince({ folder }: RealApiServer, revision: string): Promise<string[]> {
  const min_create_revision = `${Number(revision) + 1}`
  const range = { key: base64('/registry/'), range_end: base64('/registry0'), min_create_revision, keys_only: true }
  const { kvs = [] } = await askEtcd<KeysAnswer>(etcdSocket(folder), '/v3/kv/range', range)
  return kvs.map(({ key }) => Buffer.from(key, 'base64').toString()).filter(key => !ownKeys.test(key))
}

interface KeysAnswer {
  readonly kvs?: readonly { readonly key: string }[]
}

/** Removes keys, at most as many at once as etcd accepts in a transaction. */
async function remove({ folder }: RealApiServer, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += 100) {
    const success = keys.slice(at, at + 100).map(key => ({ request_delete_range: { key: base64(key) } }))
    await askEtcd(etcdSocket(folder), '/v3/kv/txn', { success })
  }
}
