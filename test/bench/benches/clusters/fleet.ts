import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { seededRandom } from '@wherry/data'
import type { DataObject } from '@wherry/data/config-maps'
import { asJavaScript } from '../../harness/as-javascript.ts'
import type { Metrics, ServerAddress, SubjectContext } from '../../harness/bench.ts'
import { type Child, startChild } from '../../harness/child.ts'
import { deployedOptions } from '../../harness/deployed.ts'
import { Program } from '../../harness/program.ts'
import { percentile } from '../../harness/statistics.ts'
import { fillSource } from '../../server/fill-source.ts'
import { objectsOfCluster } from './objects.ts'

const SERVER_PROCESSES = 4
const START_TIMEOUT_MS = 120_000
/** From one change to the next, unless its reconcile takes longer. */
const EVERY_MS = 10

/** Measures an operator in so many clusters, some of them dead: its RSS, and how soon it reconciles changes of the others. */
export async function run({ objects, options }: SubjectContext): Promise<Metrics> {
  const dead = Math.round(objects * Number(options.dead))
  const processes = Array.from({ length: SERVER_PROCESSES }, (_, index) =>
    startChild(new URL('./servers.ts', import.meta.url), `servers ${index}`),
  )
  const folder = await mkdtemp(join(tmpdir(), 'bench-clusters-'))
  await using silent = await silentServer()
  try {
    const alive = await startServers(processes, objects - dead + 1)
    const home = alive.pop() as ServerAddress
    const addresses = spread(alive, await deadAddresses(dead, silent.url, home))
    const file = join(folder, 'clusters.json')
    await writeFile(file, JSON.stringify(addresses))
    const program = new Program(
      process.execPath,
      [...deployedOptions, await asJavaScript(new URL('./program.ts', import.meta.url))],
      {
        NODE_ENV: 'production',
        BENCH_URL: home.url,
        BENCH_CA: home.ca ?? '',
        BENCH_TOKEN: home.token,
        BENCH_OBJECTS: `${alive.length * objectsOfCluster}`,
        BENCH_CLUSTERS: file,
      },
    )
    try {
      const { ms } = await program.says('ready')
      const delays = await change(program, alive, Number(options.changes ?? 3000))
      const { rssBytes, peakBytes } = program.cost()
      return {
        ready_ms: ms,
        reaction_p50_us: percentile(delays, 0.5),
        reaction_p99_us: percentile(delays, 0.99),
        rss_bytes: rssBytes,
        peak_rss_bytes: peakBytes,
      }
    } finally {
      await program.close()
    }
  } finally {
    await Promise.all(processes.map(child => child.close()))
    await rm(folder, { recursive: true })
  }
}

async function startServers(processes: readonly Child[], count: number): Promise<ServerAddress[]> {
  const started = processes.map((child, index) =>
    child.ask({ count: Math.ceil((count - index) / processes.length) }, START_TIMEOUT_MS),
  )
  return ((await Promise.all(started)) as ServerAddress[][]).flat()
}

/** Microseconds from the request of each change until its reconcile begins. Each cluster has one change before, for the connection. */
async function change(program: Program, clusters: readonly ServerAddress[], changes: number): Promise<number[]> {
  const writers = clusters.map(({ url, ca, token }) => new Client({ access: fromUrl(url, { ca, token }) }))
  const random = seededRandom(1)
  const [{ metadata }] = [...fillSource(1)] as [DataObject]
  let done = 0
  const one = async (writer: Client): Promise<number> => {
    const number = `${done++}`
    // The clock of all processes of the machine.
    const begin = Number(process.hrtime.bigint()) / 1e3
    await writer.patch(configMaps, metadata, { data: { change: number } })
    return (await program.number(`change-${number}`)) - begin
  }
  try {
    for (const writer of writers) await one(writer)
    const delays: number[] = []
    for (let index = 0; index < changes; index++) {
      const next = setTimeout(EVERY_MS)
      delays.push(await one(random.pick(writers)))
      await next
    }
    return delays
  } finally {
    await Promise.all(writers.map(writer => writer.close()))
  }
}

/** Half at a port at which nothing listens, half at a server that never answers. */
async function deadAddresses(count: number, silent: string, like: ServerAddress): Promise<ServerAddress[]> {
  const closed = await silentServer()
  await closed[Symbol.asyncDispose]()
  return Array.from({ length: count }, (_, index) => ({ ...like, url: index % 2 === 0 ? silent : closed.url }))
}

/** Puts the dead ones among the others, at equal distances. */
function spread(alive: readonly ServerAddress[], dead: readonly ServerAddress[]): ServerAddress[] {
  const all = [...alive]
  const distance = Math.floor((alive.length + dead.length) / (dead.length || 1))
  for (const [index, address] of dead.entries()) all.splice(index * distance, 0, address)
  return all
}

/** A server that accepts connections and never answers. */
async function silentServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
