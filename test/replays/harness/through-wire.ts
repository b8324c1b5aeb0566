import { readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from '@wherry/client'
import { startWire, type Wire } from '@wherry/testing'
import { ReplayServer } from './real-server.ts'
import { type Started, type StartOptions, startOperator } from './started.ts'

/** A real API server behind a network that can break, and an operator that uses it. All of it in this process, but for the server. */
export interface RealCluster {
  readonly server: ReplayServer
  /** The network of the operator. */
  readonly wire: Wire
  /** Changes objects over a network of its own. */
  readonly user: Client
  start(options?: StartOptions): Started
}

/** How long something may take that comes about after a break, in milliseconds. */
const LONG_MS = 180_000

export async function inRealCluster<R>(body: (cluster: RealCluster) => Promise<R>): Promise<R> {
  const server = await ReplayServer.start({ definitions: [] })
  const started: Started[] = []
  try {
    const { url, ca, token } = server.address
    const { hostname, port } = new URL(url)
    await using wire = await startWire({ target: { host: hostname, port: Number(port) } })
    await using user = new Client({ url, ca, token })
    const address = { url: `https://${wire.host}:${wire.port}`, ca, token, tlsServerName: hostname }
    const start = (options?: StartOptions): Started => {
      const one = startOperator(new Client(address), options)
      started.push(one)
      return one
    }
    try {
      return await body({ server, wire, user, start })
    } finally {
      for (const { end } of started) await end()
    }
  } finally {
    await server.close()
  }
}

/** Waits until this is so, for three minutes at most. Gives the seconds that it took, and infinity if it did not come about. */
export async function secondsUntil(isSo: () => boolean): Promise<number> {
  const begun = performance.now()
  while (!isSo()) {
    if (performance.now() - begun > LONG_MS) return Number.POSITIVE_INFINITY
    await wait(50)
  }
  return (performance.now() - begun) / 1000
}

/** Files, sockets and pipes that this process has open. Linux only. */
export const descriptors = (): number => readdirSync('/proc/self/fd').length
