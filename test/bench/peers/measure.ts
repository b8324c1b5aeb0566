/**
 * Runs the two ported examples and their peers on client-node against the same faults, each against an embedded server of its own, and prints tables:
 * `node --import ./test/examples/from-source.ts test/bench/peers/measure.ts`. It takes some three minutes, most of which is waiting.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { Client } from '@wherry/client'
import { persistentVolumeClaims, pods } from '@wherry/client/resources/core'
import { type ControlledApiServer, install, startApiServer } from '@wherry/testing'
import { tenants } from '../../../examples/ported/tenants/tenant.ts'
import { workspaces } from '../../../examples/ported/tenants/workspace.ts'

const namespace = 'default'
const examples = join(import.meta.dirname, '../../../examples/ported')
/** How long a pod that failed may wait. */
const limitMs = 60_000
const restMs = 60_000

interface Scene {
  readonly server: ControlledApiServer
  readonly client: Client
}

/** Runs a program against a server of its own, which is in a process of its own. */
async function withProgram<T>(main: string, args: readonly string[], body: (scene: Scene) => Promise<T>): Promise<T> {
  await using server = await startApiServer({ isolate: true })
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  await install(server, join(examples, 'tenants/deploy/crd'))
  const folder = await mkdtemp(join(tmpdir(), 'wherry-peers-'))
  const kubeconfig = join(folder, 'config')
  await server.writeKubeconfig(kubeconfig)
  const env = { ...process.env, KUBECONFIG: kubeconfig, PORT: '0', GATE_PORT: '0', NODE_ENV: 'production' }
  const child: ChildProcess = fork(main, args, { env, stdio: 'ignore' })
  const closed = once(child, 'close')
  try {
    return await body({ server, client })
  } finally {
    child.kill('SIGKILL')
    await closed
    await rm(folder, { recursive: true })
  }
}

/** Makes a pod that failed. Resolves with the seconds until it is gone. */
async function secondsToHandle(client: Client, name: string): Promise<number | undefined> {
  const spec = { containers: [{ name: 'task', image: 'task' }] }
  await client.create(pods, { metadata: { namespace, name, labels: { app: 'task-run' } }, spec })
  await client.status.patch(pods, { namespace, name }, { status: { phase: 'Failed' } })
  const began = performance.now()
  while (performance.now() - began < limitMs) {
    if ((await client.get(pods, { namespace, name })) === undefined) return (performance.now() - began) / 1000
    await after(50)
  }
  return undefined
}

/** Each resolves when the server serves again. */
const faults: Readonly<Record<string, (server: ControlledApiServer) => Promise<unknown>>> = {
  'all connections break': server => server.breakConnections(),
  'a 410 of the watch': async server => {
    await server.faults.add({ match: { verb: 'watch' }, times: 1, effect: { kind: 'expired' } })
    await server.endWatches()
  },
  '429 for 15 s': async server => {
    const fault = await server.faults.add({ match: { resource: 'pods' }, effect: { kind: 'status', code: 429 } })
    await server.breakConnections()
    await after(15_000)
    await fault.remove()
  },
  'a 500 of the watch': async server => {
    await server.faults.add({ match: { verb: 'watch' }, times: 1, effect: { kind: 'status', code: 500 } })
    await server.endWatches()
  },
  'a restart of the server': server => server.restart(),
}

async function reaction(main: string, args: readonly string[], fault: string): Promise<string> {
  return await withProgram(main, args, async ({ server, client }) => {
    if ((await secondsToHandle(client, 'before')) === undefined) throw new Error(`${main} does not work`)
    await faults[fault]?.(server)
    const seconds = await secondsToHandle(client, 'after')
    return seconds === undefined ? `not within ${limitMs / 1000} s` : `${seconds.toFixed(1)} s`
  })
}

const statuses = ['tenants.tenancy.example.com', 'workspaces.tenancy.example.com']

async function atRest(main: string): Promise<{ writes: string; claim: string }> {
  return await withProgram(main, [], async ({ server, client }) => {
    const key = { namespace, name: 'theirs' }
    const resources = { requests: { storage: '1Gi' } }
    await client.create(persistentVolumeClaims, { metadata: key, spec: { accessModes: ['ReadWriteOnce'], resources } })
    for (let index = 0; index < 20; index++) {
      await client.create(tenants, { metadata: { name: `t${index}` }, spec: { group: 'team', quota: {} } })
      const metadata = { namespace, name: `w${index}` }
      await client.create(workspaces, { metadata, spec: { image: 'desk', storage: '1Gi' } })
    }
    await after(10_000)
    const writes = async (): Promise<number> => {
      const { byVerb } = await server.stats()
      const all = ['patch', 'update', 'create'].flatMap(verb => Object.entries(byVerb[verb] ?? {}))
      return all.reduce(
        (sum, [name, { requests }]) => sum + (statuses.some(one => name.startsWith(one)) ? requests : 0),
        0,
      )
    }
    const before = await writes()
    await after(restMs)
    const count = Math.round(((await writes()) - before) * (3_600_000 / restMs))
    await client.create(workspaces, { metadata: key, spec: { image: 'desk', storage: '1Gi' } })
    await after(5_000)
    await client.delete(workspaces, key)
    await after(5_000)
    const claim = (await client.get(persistentVolumeClaims, key)) === undefined ? 'is deleted' : 'stays'
    return { writes: count.toLocaleString('en'), claim }
  })
}

const taker = createServer((request, answer) => request.resume().on('end', () => answer.writeHead(204).end()))
taker.listen(0, '127.0.0.1')
await once(taker, 'listening')
const peer = (name: string): string => join(import.meta.dirname, `${name}.ts`)
const ours = (name: string): string => join(examples, name, 'main.ts')
const reports = ['--reports', `http://127.0.0.1:${(taker.address() as AddressInfo).port}/`]

console.log('| a pod that fails after | client-node | Wherry |\n| --- | ---: | ---: |')
for (const fault of Object.keys(faults)) {
  const both = [reaction(peer('supervisor'), [], fault), reaction(ours('supervisor'), reports, fault)]
  console.log(`| ${fault} | ${(await Promise.all(both)).join(' | ')} |`)
}
const [theirs, own] = await Promise.all([atRest(peer('tenants')), atRest(ours('tenants'))])
console.log('\n| 20 tenants and 20 workspaces | client-node | Wherry |\n| --- | ---: | ---: |')
console.log(`| writes of their kinds in an hour at rest | ${theirs.writes} | ${own.writes} |`)
console.log(`| a claim of somebody else, once the workspace of its name is deleted | ${theirs.claim} | ${own.claim} |`)
taker.close()
taker.closeAllConnections()
