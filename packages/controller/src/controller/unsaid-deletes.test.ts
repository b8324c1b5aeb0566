import { type ConfigMap, configMaps, pods } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games } from '../operator/testkit/games.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const legacy: ConfigMap = { metadata: at('legacy') }
const pod = {
  metadata: at('web-0'),
  spec: { containers: [{ name: 'web', image: 'web' }], terminationGracePeriodSeconds: 0 },
}

describe('what was deleted, and nothing says which it was', () => {
  it('C10: an eviction by one controller is seen by the reads of another', () =>
    inArcade(async ({ operator, client, run, server, simulation }) => {
      const seen: unknown[] = []
      let evicted = false
      operator
        .controller('evicting')
        .for(games)
        .reconcile(async ({ client: own }) => {
          if (evicted) return
          const effect = { kind: 'slow', bytesPerSecond: 100 } as const
          await server.faults.add({ match: { verb: 'watch', resource: 'pods' }, effect })
          await server.endWatches('pods')
          await simulation.clock.turn()
          await own.evict(pods, at('web-0'))
          evicted = true
        })
      operator
        .controller('reading')
        .for(games)
        .caches(pods)
        .reconcile(async ({ read }) => {
          await read.list(pods)
          if (!evicted) return { requeueAfterMs: 100 }
          seen.push((await read.list(pods)).length)
          return undefined
        })
      await client.create(pods, pod)
      await client.create(games, game('chess'))
      run()
      await simulation.advance(60_000)
      expect(seen[0]).toBe(0)
    }))

  it('C10: an eviction is seen by the reads of the one who made it, through the informer of another', () =>
    inArcade(async ({ operator, client, run, server, simulation }) => {
      const seen: unknown[] = []
      operator
        .controller('evicting')
        .for(games)
        .reconcile(async ({ client: own, read }) => {
          if (seen.length > 0) return
          await simulation.clock.turn()
          const effect = { kind: 'slow', bytesPerSecond: 100 } as const
          await server.faults.add({ match: { verb: 'watch', resource: 'pods' }, effect })
          await server.endWatches('pods')
          await simulation.clock.turn()
          await own.evict(pods, at('web-0'))
          seen.push((await read.get(pods, { name: 'web-0' })) === undefined ? 0 : 1)
        })
      operator
        .controller('reading')
        .for(games)
        .caches(pods)
        .reconcile(async ({ read }) => {
          await read.list(pods)
        })
      await client.create(pods, pod)
      await client.create(games, game('chess'))
      run()
      await simulation.advance(60_000)
      expect(seen[0]).toBe(0)
    }))

  it('C10: is not what somebody made while the answer was on its way, by narrow reads', () =>
    inArcade(async ({ operator, client, run, server, simulation }) => {
      const seen: unknown[] = []
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ client: own, read }) => {
          await read.get(configMaps, { name: 'legacy' })
          if (seen.length === 0) await own.delete(configMaps, at('legacy'))
          const before = simulation.clock.monotonic()
          const found = await read.get(configMaps, { name: 'legacy' })
          seen.push([found === undefined ? 0 : 1, simulation.clock.monotonic() - before < 1000])
        })
      const effect = { kind: 'slow', bytesPerSecond: 100 } as const
      await server.faults.add({ match: { verb: 'delete', resource: 'configmaps' }, effect })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      await client.create(configMaps, legacy)
      await simulation.advance(600_000)
      expect(seen[0]).toEqual([1, true])
      expect(simulation.environment.errors).toEqual([])
    }))
})
