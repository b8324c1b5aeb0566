/** Answers of a server that is not well: P2 and P5. */
import { configMaps } from '@wherry/client/resources/core'
import { configMap, inCluster } from '../harness/cluster.ts'
import { atMost, exactly, lostAndExtra } from '../harness/figure.ts'
import type { WatchReplay } from './replay.ts'

const key = { namespace: 'default' }

/** Each watch is answered by a 429 for a minute, in which objects come and go. */
export const tooManyRequests = (retryAfterSeconds: number | undefined): WatchReplay => ({
  rule: 'P2',
  happened: 'a 429 while storage starts; watches did not come back',
  threads: 'KFC#979, pepr#3052, kopf#962, #1108',
  variant: retryAfterSeconds === undefined ? 'no Retry-After' : `Retry-After: ${retryAfterSeconds}`,
  on: 'embedded',
  play: () =>
    inCluster(async ({ server, user, simulation, relists, start, until }) => {
      await user.create(configMaps, configMap('a', '1'))
      const { log } = start()
      await until(() => log.includes('a 1'))
      const effect = { kind: 'status', code: 429, ...(retryAfterSeconds && { retryAfterSeconds }) } as const
      const busy = await server.faults.add({ match: { verb: 'watch' }, effect })
      await server.resetStats()
      await server.endWatches()
      const missed = [0, 1, 2, 3, 4, 5].map(i => `missed-${i}`)
      for (const name of missed) {
        await simulation.advance(10_000)
        await user.create(configMaps, configMap(name, '1'))
      }
      await user.delete(configMaps, { ...key, name: 'a' })
      const asked = (await server.stats()).byVerb.watch?.configmaps?.requests ?? 0
      await busy.remove()
      await simulation.advance(120_000)
      return [
        atMost('watches asked for in the minute', asked, 12),
        exactly('relists', relists(), 0),
        ...lostAndExtra(log, ['a 1', 'a gone', ...missed.map(name => `${name} 1`)]),
      ]
    }),
})

/** Each watch from the last resourceVersion is cut before its first byte. */
export const oldVersionCut: WatchReplay = {
  rule: 'P5',
  happened: 'an old resourceVersion answered by a cut, never by a 410',
  threads: 'fabric8#7896, kubernetes#137089',
  on: 'embedded',
  play: () =>
    inCluster(async ({ server, user, simulation, relists, start, until }) => {
      await user.create(configMaps, configMap('a', '1'))
      const { log } = start()
      await until(() => log.includes('a 1'))
      const effect = { kind: 'rst', afterBytes: 0 } as const
      await server.faults.add({ match: { verb: 'watch' }, times: 5, effect })
      await server.endWatches()
      await user.create(configMaps, configMap('b', '1'))
      const begun = simulation.clock.monotonic()
      let backAt = Number.POSITIVE_INFINITY
      while (simulation.clock.monotonic() - begun < 600_000) {
        await simulation.advance(100)
        if (log.includes('b 1')) backAt = Math.min(backAt, simulation.clock.monotonic())
      }
      return [
        exactly('relists', relists(), 1),
        // The waits of R22 before six tries: each is at most twice 0.8, 1.6, 3.2, 6.4, 12.8 and 25.6 s.
        atMost('seconds until the events are there', (backAt - begun) / 1000, 101),
        ...lostAndExtra(log, ['a 1', 'b 1']),
      ]
    }),
}
