import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { nodes, pods } from '@wherry/client/resources/core'
import { startKubelet } from '../../../streams/kubelet.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'

/** What a subject has to do; each resolves when it is done. */
export interface Streams {
  /** Reads the log and gives how many lines it has. */
  log(pod: PodName): Promise<number>
  /** Runs `true`. */
  exec(pod: PodName): Promise<void>
  /** Reads a port of the pod to its end, by a port of this machine, and gives how many bytes came. */
  forward?(pod: PodName, port: number): Promise<number>
  /** As {@link forward}, as a stream. After it, so that its RSS is above that of `forward`. */
  connect?(pod: PodName, port: number): Promise<number>
}

interface PodName {
  readonly namespace: string
  readonly name: string
}

const line =
  '2026-01-01T00:00:00.000000000Z stdout F GET /games/chess/moves?from=e2&to=e4 200 in 12 ms by a player from afar\n'

/** Measures the streams of a pod of its own. */
export async function measured({ objects, options, server }: SubjectContext, streams: Streams): Promise<Metrics> {
  const { url, ca, token } = server()
  await using client = new Client({ access: fromUrl(url, { ca, token }) })
  await using kubelet = await startKubelet()
  const pod = { namespace: 'default', name: `pod-${process.pid}` }
  const folder = await kubelet.runPod(client, pod.name)
  try {
    await writeFile(join(folder, 'log'), line.repeat(objects))
    const lines_per_s = (1000 * objects) / (await msOf(async () => check(await streams.log(pod), objects)))
    const commands = Number(options.commands)
    await streams.exec(pod)
    const all = await msOf(async () => {
      for (let i = 0; i < commands; i++) await streams.exec(pod)
    })
    const metrics: Record<string, number> = { lines_per_s, exec_ms: all / commands }
    for (const way of ['forward', 'connect'] as const) {
      const read = streams[way]
      if (read === undefined) continue
      const { mbPerS, rssBytes } = await readPort(read, pod, Number(options.megabytes))
      metrics[`${way}_mb_per_s`] = mbPerS
      metrics[`${way}_rss_bytes`] = rssBytes
    }
    return metrics
  } finally {
    await client.delete(pods, pod, { gracePeriodSeconds: 0 })
    for (const { metadata } of (await client.list(nodes)).items) await client.delete(nodes, { name: metadata.name })
  }
}

async function readPort(
  read: NonNullable<Streams['forward']>,
  pod: PodName,
  megabytes: number,
): Promise<{ readonly mbPerS: number; readonly rssBytes: number }> {
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  const server = createServer(async socket => {
    socket.on('error', () => {})
    for (let i = 0; i < megabytes; i++) if (!socket.write(chunk)) await once(socket, 'drain')
    socket.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const before = process.memoryUsage.rss()
    let peak = before
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }, 20)
    const ms = await msOf(async () =>
      check(await read(pod, (server.address() as AddressInfo).port), megabytes * chunk.length),
    )
    clearInterval(timer)
    return { mbPerS: megabytes / (ms / 1000), rssBytes: Math.max(peak - before, 0) }
  } finally {
    server.close()
  }
}

function check(got: number, expected: number): void {
  if (got !== expected) throw new Error(`${got} came in place of ${expected}`)
}

async function msOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
