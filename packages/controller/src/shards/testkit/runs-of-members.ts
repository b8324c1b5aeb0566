import { keyText, sleep } from '@wherry/client/internal'
import { configMaps, serviceAccounts } from '@wherry/client/resources/core'
import { at, games } from '../../operator/testkit/games.ts'
import type { OperatorUidShardOptions } from '../options.ts'
import type { Member, RingOfMembers } from './ring-of-members.ts'

/** A write of a run, as the server accepted it. */
interface Accepted {
  readonly rv: number
  readonly key: string
  readonly by: string
  /** Counts the runs of all members. */
  readonly run: number
}

/**
 * Lets members run games, and observes the runs. A run writes several times, with pauses, and heeds nothing but what its client says, so that the order in
 * which the server accepted the writes shows which runs overlap.
 */
export class RunsOfMembers {
  readonly accepted: Accepted[] = []
  /** The objects that a member held for deleted. None ever is. */
  readonly gone: string[] = []
  readonly #ring: RingOfMembers
  #begun = 0

  constructor(ring: RingOfMembers) {
    this.#ring = ring
  }

  /** Starts a member: of the ring, or, with options, of processes that share the objects by their uids. */
  join(name: string, options?: OperatorUidShardOptions): Member {
    const declare: Parameters<RingOfMembers['member']>[1] = (operator, { process }) => {
      operator
        .controller('game', { concurrency: 4 })
        .for(games)
        .owns(configMaps)
        .reconcile(async ({ key, object, client, apply }) => {
          this.#begun += 1
          const run = `${this.#begun}`
          const writes = 1 + (this.#begun % 4)
          for (let write = 0; write < writes; write += 1) {
            const metadata = at(`w-${run}-${write}`)
            await client.create(
              serviceAccounts,
              { metadata: { ...metadata, annotations: { key: keyText(key), by: name, run } } },
              { timeoutMs: 2000 },
            )
            await sleep(process.clock, 400)
          }
          await apply(configMaps, { metadata: { name: `${key.name}-config` }, data: { title: `${object.spec.title}` } })
          return { requeueAfterMs: 10_000 }
        })
        .onGone(({ key }) => void this.gone.push(`${name} ${keyText(key)}`))
        .onLeft(({ key }) => void this.gone.push(`${name} ${keyText(key)} left`))
    }
    return this.#ring.member(name, declare, options)
  }

  /** Reads what the server has accepted. Nobody changes these objects, so their versions are of their creation. */
  async observe(): Promise<void> {
    const { items } = await this.#ring.writer.list(serviceAccounts)
    for (const { metadata } of items) {
      const { key, by, run } = metadata.annotations ?? {}
      if (key === undefined || by === undefined) continue
      this.accepted.push({ rv: Number(metadata.resourceVersion), key, by, run: Number(run) })
    }
    this.accepted.sort((a, b) => a.rv - b.rv)
  }

  /** The writes of a run that the server accepted after a write of a later run of the same key. */
  overlaps(): string[] {
    const last = new Map<string, Accepted>()
    const over = new Map<string, Set<number>>()
    const wrong: string[] = []
    for (const write of this.accepted) {
      const before = last.get(write.key)
      const ended = over.get(write.key) ?? new Set()
      over.set(write.key, ended)
      if (before !== undefined && before.run !== write.run) ended.add(before.run)
      if (ended.has(write.run))
        wrong.push(`${write.key}: run ${write.run} of ${write.by} wrote after ${before?.by} had`)
      last.set(write.key, write)
    }
    return wrong
  }

  /** How often another member than before ran a key. */
  takeovers(): number {
    const last = new Map<string, string>()
    let count = 0
    for (const { key, by } of this.accepted) {
      if (last.has(key) && last.get(key) !== by) count += 1
      last.set(key, by)
    }
    return count
  }
}
