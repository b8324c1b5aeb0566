import { setTimeout as after } from 'node:timers/promises'
import { Client } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { startWire, type Wire } from '@wherry/testing'
import type { Cluster } from './cluster.ts'
import { chess, type Data, digestOf, games } from './game.ts'
import type { Memory } from './memory.ts'
import type { Address, ModeName } from './mode.ts'
import { Noise } from './noise.ts'
import type { Filling } from './objects.ts'
import { type MemoryPoint, OperatorProcess } from './operator-process.ts'
import { until } from './until.ts'

/** How long each operator is played. */
export interface PlayOptions extends Filling {
  /** How long only objects change that it does not need, in milliseconds. */
  readonly quietMs: number
  /** How often one of those changes that it needs. */
  readonly changes: number
  /** Before each of these changes it is left alone, longer each time, for up to so many milliseconds. */
  readonly restMs: number
  readonly signal: AbortSignal
  /** As {@link OperatorProcessOptions.program}. */
  readonly program?: string | undefined
}

/** What came of one operator. Bytes are those of the network, TLS included, from the server to the operator. */
export interface Played {
  readonly mode: ModeName
  /** Whether the game's status was right in the end. An operator that is to do nothing is right by that. */
  readonly isRight: boolean
  /** From the start of its process to its first result; of `idle`, until it is connected. */
  readonly readyMs: number
  /** From each change of what it needs to its result. */
  readonly reactMs: readonly number[]
  /** Until it was ready. */
  readonly receivedBytes: number
  /** While nothing changed that it needs. */
  readonly unrelatedBytes: number
  /** Changes of other objects in that time. */
  readonly unrelatedChanges: number
  /** For each change of what it needs, in the mean; what changes of others brought meanwhile is in it. */
  readonly changeBytes: number
  /** All in all. */
  readonly requests: number
  readonly memory: Memory
  readonly curve: readonly MemoryPoint[]
  /** What it reported as having gone wrong. */
  readonly failures: readonly string[]
}

/** Runs one operator: its start, a time in which only others' objects change, changes of its own, its memory, its end. */
export async function play(cluster: Cluster, mode: ModeName, options: PlayOptions): Promise<Played> {
  const { namespace, signal, program, quietMs, changes, restMs } = options
  const client = new Client(cluster.address)
  const noise = new Noise(client, options)
  const wire = await wireTo(cluster.address)
  let operator: OperatorProcess | undefined
  try {
    const needed = await Needed.of(client, namespace)
    // What the operator before it wrote is right no more.
    const digest = await needed.change(0)
    noise.start()
    operator = new OperatorProcess(mode, { address: throughWire(cluster.address, wire), namespace, signal, program })
    const isIdle = mode === 'idle'
    const readyAt = isIdle ? await started(operator) : await reconciled(operator, digest)
    const receivedBytes = wire.stats().bytesDown
    if (!isIdle) await statusIs(client, namespace, digest, signal)

    // All requests of the start are over.
    await after(300, undefined, { signal })
    const [bytesBefore, madeBefore] = [wire.stats().bytesDown, noise.made]
    await after(quietMs, undefined, { signal })
    const unrelatedBytes = wire.stats().bytesDown - bytesBefore
    const unrelatedChanges = noise.made - madeBefore

    const reactMs: number[] = []
    const bytesSoFar = wire.stats().bytesDown
    let last = digest
    for (let turn = 1; turn <= (isIdle ? 0 : changes); turn++) {
      // A mode that asks now and then is met at another moment each time.
      await after(((turn - 0.5) / changes) * restMs, undefined, { signal })
      last = needed.digestAfter(turn)
      const result = reconciled(operator, last)
      const changed = performance.timeOrigin + performance.now()
      await Promise.all([needed.change(turn), result])
      reactMs.push((await result) - changed)
    }
    const isRight = isIdle || (await statusIs(client, namespace, last, signal))
    const changeBytes = isIdle ? 0 : (wire.stats().bytesDown - bytesSoFar) / changes
    await noise.stop()
    const { memory, requests } = await operator.measure()
    await operator.stop()
    const { begun, curve, failures } = operator
    return {
      ...{ mode, isRight, readyMs: readyAt - begun, reactMs, receivedBytes, unrelatedBytes, unrelatedChanges },
      ...{ changeBytes, requests, memory, curve, failures },
    }
  } finally {
    await operator?.kill()
    await noise.stop().catch(() => undefined)
    await wire.close()
    await client.close()
  }
}

const started = (operator: OperatorProcess): Promise<number> =>
  operator.wait('its start', reported =>
    reported.type === 'started' ? performance.timeOrigin + performance.now() : undefined,
  )

const reconciled = (operator: OperatorProcess, digest: string): Promise<number> =>
  operator.wait('its result', reported =>
    reported.type === 'reconciled' && reported.digest === digest ? reported.at : undefined,
  )

/** The server must say so itself. */
async function statusIs(client: Client, namespace: string, digest: string, signal: AbortSignal): Promise<boolean> {
  return until(signal, 'the status of the game is right', async () => {
    const game = await client.get(games, { namespace, name: chess.game }, { signal })
    return game?.status?.digest === digest ? true : undefined
  })
}

/** The two objects that the game needs. */
class Needed {
  readonly #client: Client
  readonly #namespace: string
  #levels: Data
  #licence: Data

  private constructor(client: Client, namespace: string, levels: Data, licence: Data) {
    this.#client = client
    this.#namespace = namespace
    this.#levels = levels
    this.#licence = licence
  }

  static async of(client: Client, namespace: string): Promise<Needed> {
    const levels = await client.get(configMaps, { namespace, name: chess.levels })
    const licence = await client.get(secrets, { namespace, name: chess.licence })
    if (levels?.data === undefined || licence?.data === undefined) throw new Error('what the game needs is gone')
    return new Needed(client, namespace, levels.data, licence.data)
  }

  /** The digest that a change will lead to: the ConfigMap's at even turns, the Secret's at odd ones. */
  digestAfter(turn: number): string {
    const data = { turn: this.#mark(turn) }
    if (turn % 2 === 0) this.#levels = { ...this.#levels, ...data }
    else this.#licence = { ...this.#licence, ...data }
    return digestOf(this.#levels, this.#licence)
  }

  /** Changes one of the two. Gives the digest that it leads to. */
  async change(turn: number): Promise<string> {
    const digest = this.digestAfter(turn)
    const patch = { data: { turn: this.#mark(turn) } }
    const namespace = this.#namespace
    if (turn % 2 === 0) await this.#client.patch(configMaps, { namespace, name: chess.levels }, patch)
    else await this.#client.patch(secrets, { namespace, name: chess.licence }, patch)
    return digest
  }

  /** Another text each time that the demo is played. */
  readonly #played = Date.now()
  #mark(turn: number): string {
    return btoa(`${this.#played} ${turn}`)
  }
}

async function wireTo({ url }: Address): Promise<Wire> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return startWire({ target: { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) } })
}

/** The same server by way of the wire, which counts the bytes. */
function throughWire(address: Address, { host, port }: Wire): Address {
  const url = new URL(address.url)
  const { hostname } = url
  url.hostname = host
  url.port = `${port}`
  const tlsServerName = address.tlsServerName ?? (hostname === host ? undefined : hostname)
  // client-node puts its paths behind it as they are.
  return { ...address, url: url.href.replace(/\/$/, ''), tlsServerName }
}
