import { performance } from 'node:perf_hooks'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { readMemory } from '../../harness/memory.ts'
import { Deliveries } from './deliveries.ts'
import type { Source } from './source.ts'

/** Rounds that are measured, after one that is not: the same for each subject and each of its consumers. */
const ROUNDS = 5

/** Called for each change; `isLast` where it is of the object that a burst changes last. */
export type Receive = (isLast: boolean) => void

/** The name of that object. */
export const LAST = 'config-map-0'

/** Rounds of changes that all of its consumers receive. */
export class Rounds {
  readonly #source: Source
  readonly #objects: number
  readonly #deliveries = new Deliveries()

  constructor(source: Source, objects: number) {
    this.#source = source
    this.#objects = objects
  }

  consumer(): Receive {
    return this.#deliveries.consumer()
  }

  /**
   * Deliveries a second. Each round changes every object once, and the next one begins when each consumer has received each change:
   * an object that changes again before a slow consumer came to it might be delivered once for both.
   */
  async rate(rounds: number): Promise<number> {
    const objects = this.#objects
    let deliveries = 0
    const begin = performance.now()
    for (let round = 0; round < rounds; round++)
      deliveries += await this.#deliveries.burst(objects, () => this.#source.burst(objects, objects))
    return deliveries / ((performance.now() - begin) / 1000)
  }
}

/**
 * Has so many consumers receive all changes: deliveries a second, and what they took by then. `add` adds a consumer, and
 * resolves once that has received all that is there.
 */
export async function measureDeliveries(
  { objects, options, start }: SubjectContext,
  source: Source,
  add: (receive: Receive) => Promise<void>,
): Promise<Metrics> {
  const rounds = new Rounds(source, objects)
  await add(rounds.consumer())
  const before = await source.count()
  for (let i = 1; i < Number(options.registrars); i++) await add(rounds.consumer())
  await rounds.rate(1)
  const deliveries_per_s = await rounds.rate(ROUNDS)
  const { rss } = readMemory()
  const { bytes, requests } = await source.count()
  return {
    deliveries_per_s,
    rss_bytes: rss - start.rss,
    received_bytes: bytes,
    requests,
    added_requests: requests - before.requests,
  }
}
