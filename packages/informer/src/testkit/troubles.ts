import { chance, choose, type FaultRule, integer, type Random } from '@wherry/testing'
import type { SimulatedCluster } from './served.ts'

/** Something that the network or the server does to a client that lists and watches. */
export type Trouble = (cluster: SimulatedCluster, random: Random) => Promise<void>

const rule = (effect: (random: Random) => FaultRule['effect'], verbs = ['watch', 'list']): Trouble => {
  return async ({ server }, random) => {
    const match = { verb: choose(random, verbs) }
    await server.faults.add({ match, times: integer(random, 1, 3), effect: effect(random) })
  }
}
const watch = ['watch']
const bytes = (random: Random): number => integer(random, 0, 3000)

/** All of them by name. Writes are not hit: they come by connections of their own. */
export const troubles: Readonly<Record<string, Trouble>> = {
  drop: rule(() => ({ kind: 'drop' })),
  break: rule(random => ({ kind: 'break', afterBytes: bytes(random) })),
  rst: rule(random => ({ kind: 'rst', afterBytes: bytes(random) })),
  reset: rule(random => ({ kind: 'reset', afterBytes: bytes(random) })),
  truncate: rule(random => ({ kind: 'truncate', afterBytes: bytes(random) })),
  hang: rule(random => ({ kind: 'hang', afterBytes: bytes(random) })),
  slow: rule(random => ({ kind: 'slow', bytesPerSecond: integer(random, 100, 5000) })),
  delay: rule(random => ({ kind: 'delay', ms: integer(random, 1, 40_000) })),
  refusal: rule(random => ({
    kind: 'status',
    code: choose(random, [400, 401, 403, 422, 429, 500, 503, 504]),
    retryAfterSeconds: chance(random, 0.3) ? integer(random, 1, 20) : undefined,
    plain: chance(random, 0.3),
  })),
  expired: rule(() => ({ kind: 'expired' })),
  errorEvent: rule(random => ({ kind: 'error-event', code: 500, afterEvents: integer(random, 0, 3) }), watch),
  garbage: rule(random => ({ kind: 'line', text: '{"type":', afterEvents: integer(random, 0, 3) }), watch),
  stray: rule(
    random => ({
      kind: 'line',
      text: '{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"p"}}}',
      afterEvents: integer(random, 0, 3),
    }),
    watch,
  ),
  duplicate: rule(random => ({ kind: 'duplicate', times: integer(random, 2, 3) }), watch),
  async kills({ transport }, random) {
    transport.controls.setFaults({
      kill: choose(random, [0, 0.3]),
      goaway: choose(random, [0, 0.3]),
      freeze: choose(random, [0, 0.1]),
      refuse: choose(random, [0, 0.3]),
    })
  },
  async cut({ transport }, random) {
    for (const connection of transport.controls.connections()) {
      transport.controls.killAfter(connection, integer(random, 0, 4000))
    }
  },
  async goaway({ transport }) {
    transport.controls.goawayAll()
  },
  async freeze({ transport }) {
    for (const connection of transport.controls.connections()) transport.controls.freeze(connection)
  },
  async refuse({ transport }) {
    transport.controls.refuse(true)
  },
  async welcome({ transport }) {
    transport.controls.refuse(false)
  },
  async expire({ server }) {
    await server.expireWatchCaches()
  },
  async compact({ server }) {
    await server.compact()
  },
  async end({ server }) {
    await server.endWatches()
  },
  /** A server that is killed and started again. */
  async restart({ server, transport }) {
    for (const connection of transport.controls.connections()) transport.controls.kill(connection)
    await server.expireWatchCaches()
  },
}

/** Ends all troubles. Effects that have begun go on to their end. */
export async function peace({ server, transport }: SimulatedCluster): Promise<void> {
  await server.faults.clear()
  transport.controls.setFaults({})
  transport.controls.refuse(false)
}
