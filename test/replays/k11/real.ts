/** The same on a real API server, for what does not need simulated time: P1, P7 and P9. */
import { setTimeout as wait } from 'node:timers/promises'
import { configMaps, pods } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
import { configMap } from '../harness/cluster.ts'
import { atMost, lostAndExtra } from '../harness/figure.ts'
import { descriptors, inRealCluster, secondsUntil } from '../harness/through-wire.ts'
import { deadConnection, manyReconnects } from './connections.ts'
import { growth, held, jobPod, ours, podsOfOthers } from './objects.ts'
import type { WatchReplay } from './replay.ts'

const areSynced = (operator: Operator): boolean => operator.report().informers.every(({ synced }) => synced)

export const deadConnectionReal: WatchReplay = {
  ...deadConnection,
  on: 'real',
  play: () =>
    inRealCluster(async ({ user, wire, start }) => {
      await user.create(configMaps, configMap('a', '1'))
      const { log } = start()
      await secondsUntil(() => log.includes('a 1'))
      for (const connection of wire.connections()) connection.freeze()
      await user.patch(configMaps, { namespace: 'default', name: 'a' }, { data: { value: '2' } })
      await user.create(configMaps, configMap('b', '1'))
      const seconds = await secondsUntil(() => log.includes('a 2') && log.includes('b 1'))
      // 45 s until it is noticed, and the first wait of R22; 2 s for the machine.
      return [atMost('seconds until the events are there', seconds, 48.6), ...lostAndExtra(log, ['a 1', 'a 2', 'b 1'])]
    }),
}

const INFORMERS = 50

/** Breaks of a connection with 50 watches. A watch that lasted 10 s makes the next wait a short one. */
export const manyReconnectsReal = (count: number): WatchReplay => ({
  ...manyReconnects(count),
  variant: `${INFORMERS} watches, ${count / INFORMERS} breaks`,
  on: 'real',
  play: () =>
    inRealCluster(async ({ user, wire, start }) => {
      await user.create(configMaps, configMap('a', '1'))
      const views = Array.from({ length: INFORMERS - 1 }, (_, i) => pods.within({ namespaces: [`n-${i}`] }))
      const { log, operator } = start({
        declare: one => {
          const [first, ...rest] = views
          if (first === undefined) return
          const more = one.controller('more').for(first)
          for (const view of rest) more.caches(view)
          more.reconcile(() => {})
        },
      })
      const isBack = (): boolean => operator.report().informers.every(({ state }) => state === 'watching')
      await secondsUntil(() => log.includes('a 1') && areSynced(operator) && isBack())
      const breakAll = async (): Promise<void> => {
        for (const connection of wire.connections()) connection.reset()
        await secondsUntil(() => !isBack())
        await secondsUntil(isBack)
        await wait(10_500)
      }
      await breakAll()
      const [before, open] = [descriptors(), wire.stats().open]
      for (let i = 0; i < count / INFORMERS; i++) await breakAll()
      const [after, left] = [descriptors(), wire.stats().open]
      await user.create(configMaps, configMap('b', '1'))
      await secondsUntil(() => log.includes('b 1'))
      return [
        atMost('descriptors more', Math.max(0, after - before), 0),
        atMost('connections more', Math.max(0, left - open), 0),
        ...lostAndExtra(log, ['a 1', 'b 1']),
      ]
    }),
})

/** The pods of an hour, as fast as the server takes them. */
export const podsOfOthersReal: WatchReplay = {
  ...podsOfOthers,
  variant: 'as fast as the server takes them',
  on: 'real',
  play: () =>
    inRealCluster(async ({ server, user, wire, start }) => {
      await user.create(configMaps, configMap('a', '1'))
      const { log, operator } = start({ declare: ours })
      await secondsUntil(() => log.includes('a 1') && areSynced(operator))
      await wait(1000)
      const before = held(operator)
      const { bytesDown } = wire.stats()
      await server.fill(Array.from({ length: 6186 }, (_, i) => jobPod(i)))
      const bytes = wire.stats().bytesDown - bytesDown
      return [atMost('bytes of the network: bookmarks and PINGs', bytes, 4000), ...growth(before, held(operator))]
    }),
}
