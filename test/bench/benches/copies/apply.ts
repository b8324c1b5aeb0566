import type { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { Copies } from '@wherry/copies'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { eventCost } from './event-cost.ts'
import { type Keeper, measureCopies, sources, type Wants } from './measure.ts'

/** Copies as a controller of an operator: one apply each. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const figures = await measureCopies(context, keeper)
  return { ...figures, event_us_100: await eventCost(100, keeper), event_us_10000: await eventCost(10_000, keeper) }
}

/** A keeper that says how often it has looked at a copy that was as it should be. */
export interface LookingKeeper extends Keeper {
  looks(): number
}

function keeper(client: Client, wants: Wants): LookingKeeper {
  const copies = new Copies({
    name: `bench-${wants}`,
    source: sources,
    copies: configMaps,
    targets: wants,
    build: ({ metadata, data }) => ({ metadata: { labels: metadata?.labels }, data: data ?? {} }),
  })
  const operator = new Operator({ name: 'bench', client })
  operator.add(copies.controller)
  const stop = new AbortController()
  const running = operator.run({ signal: stop.signal, signals: false })
  /** Until no key is queued or runs. `operator.settled()` would ask the server, too. */
  const isIdle = async (): Promise<void> => {
    const { unchanged } = copies.report()
    const count = copies.report().copies
    while (copies.report().unchanged - unchanged < count) await new Promise(resolve => setImmediate(resolve))
  }
  return {
    settled: () => operator.settled({ timeoutMs: 120_000 }),
    looks: () => copies.report().unchanged,
    resync: () => {
      const idle = isIdle()
      copies.resync()
      return idle
    },
    close: async () => {
      stop.abort(new Error('measured'))
      await running
    },
  }
}
