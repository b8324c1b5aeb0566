/** Objects that fail, go or are of others: P3, P6, P8 and P9. */
import type { KubernetesObject } from '@wherry/client'
import { configMaps, pods, secrets } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
import { configMap, inCluster } from '../harness/cluster.ts'
import { atMost, exactly, type Figure, lostAndExtra } from '../harness/figure.ts'
import type { WatchReplay } from './replay.ts'

const key = { namespace: 'default' }

/** A reconcile throws eleven times. */
export const throwing: WatchReplay = {
  rule: 'P3',
  happened: 'a handler threw; the object was not handled again',
  threads: 'pepr#3052',
  on: 'embedded',
  play: () =>
    inCluster(async ({ user, simulation, start, until }) => {
      const times: number[] = []
      const { log, end } = start({
        reconcile: name => {
          if (name !== 'bad') return
          times.push(simulation.clock.monotonic())
          if (times.length < 12) throw new Error('not yet')
        },
      })
      await user.create(configMaps, configMap('bad', '1'))
      await simulation.runUntil(() => times.length === 5)
      await user.create(configMaps, configMap('good', '1'))
      await until(() => log.includes('good 1'))
      const meanwhile = times.length
      await simulation.advance(3_600_000)
      const waits = times.slice(1).map((time, i) => time - (times[i] ?? 0))
      const short = waits.filter((wait, i) => wait < 5 * 2 ** i - 1)
      await end()
      return [
        exactly('runs until it succeeds, and no more in an hour', times.length, 12),
        exactly('waits that are shorter than 5 ms × 2ⁿ', short.length, 0),
        atMost('runs of it when another key, created after its 5th, has run', meanwhile, 7),
        exactly('runs of the other key', log.filter(line => line === 'good 1').length, 1),
      ]
    }),
}

/** Objects are deleted, and one is replaced, while the operator is not connected. */
export const deletedWhileAway = (how: 'disconnected' | 'expired'): WatchReplay => ({
  rule: 'P6',
  happened: 'deleted while disconnected, or while queued at a relist; reported never or twice',
  threads: 'client-node#494, #572, kubernetes#115658',
  variant: how === 'expired' ? 'the resourceVersion is forgotten as well' : 'disconnected',
  on: 'embedded',
  play: () =>
    inCluster(async ({ server, user, network, simulation, start, until }) => {
      for (const name of ['a', 'b', 'c']) await user.create(configMaps, configMap(name, '1'))
      const { log } = start()
      await until(() => log.length === 3)
      network.controls.refuse(true)
      for (const connection of network.controls.connections()) await connection.close()
      await user.delete(configMaps, { ...key, name: 'b' })
      await user.delete(configMaps, { ...key, name: 'c' })
      await user.create(configMaps, configMap('c', '2'))
      if (how === 'expired') await server.expireWatchCaches()
      network.controls.refuse(false)
      await simulation.advance(600_000)
      const count = (wanted: string): number => log.filter(line => line === wanted).length
      return [
        exactly('times that it is reported as gone', count('b gone'), 1),
        exactly('runs with the object that replaced another', count('c 2'), 1),
        exactly('runs of an object that did not change', count('a 1') - 1, 0),
      ]
    }),
})

/** An object is deleted while its key waits to run. */
export const deletedWhileQueued: WatchReplay = {
  ...deletedWhileAway('expired'),
  variant: 'its key is queued',
  play: () =>
    inCluster(async ({ server, user, simulation, start, until }) => {
      for (const name of ['a', 'b']) await user.create(configMaps, configMap(name, '1'))
      let go = (): void => {}
      const held = new Promise<void>(resolve => {
        go = resolve
      })
      const { log } = start({ reconcile: name => (name === 'a' ? held : undefined) })
      await until(() => log.includes('a 1'))
      await server.expireWatchCaches()
      await server.endWatches()
      await user.delete(configMaps, { ...key, name: 'b' })
      await simulation.advance(60_000)
      go()
      await simulation.advance(120_000)
      const count = (wanted: string): number => log.filter(line => line === wanted).length
      return [
        exactly('times that it is reported as gone', count('b gone'), 1),
        exactly('reconciles of what is gone', count('b 1'), 0),
        exactly('runs of the other key', count('a 1'), 1),
      ]
    }),
}

/** An operator is stopped and another one started, and objects change in between. */
export const stoppedAndStarted: WatchReplay = {
  rule: 'P8',
  happened: 'stopped and started again; old events came',
  threads: 'client-node#956, #795, podman-desktop#11247',
  on: 'embedded',
  play: () =>
    inCluster(async ({ user, simulation, start, until }) => {
      await user.create(configMaps, configMap('a', '1'))
      await user.create(configMaps, configMap('b', '1'))
      const first = start()
      await until(() => first.log.length === 2)
      await first.stop()
      await user.modify(configMaps, { ...key, name: 'a' }, object => {
        object.data = { value: '2' }
      })
      await user.delete(configMaps, { ...key, name: 'b' })
      const second = start()
      await simulation.advance(600_000)
      return [
        exactly('runs of the operator that is stopped', first.log.length - 2, 0),
        ...lostAndExtra(second.log, ['a 2']),
      ]
    }),
}

/** 104 pods of others come each minute. */
export const podsOfOthers: WatchReplay = {
  rule: 'P9',
  happened: '6,186 pods of Jobs that do not concern the operator, in an hour',
  threads: 'ol-infrastructure#5326',
  on: 'embedded',
  play: () =>
    inCluster(async ({ server, user, simulation, start, until }) => {
      await user.create(configMaps, configMap('a', '1'))
      const { log, operator } = start({ declare: ours })
      await until(() => log.includes('a 1') && operator.report().informers.every(({ synced }) => synced))
      const before = held(operator)
      await server.resetStats()
      for (let minute = 0; minute < 60; minute++) {
        const from = minute * 104
        await server.fill(Array.from({ length: Math.min(104, 6186 - from) }, (_, i) => jobPod(from + i)))
        await simulation.advance(60_000)
      }
      const { objectBytes } = (await server.stats()).total
      return [exactly('bytes of objects sent to the operator', objectBytes, 0), ...growth(before, held(operator))]
    }),
}

/** A controller of pods that a label selects, which reads a Secret by its name. */
export function ours(operator: Operator): void {
  operator
    .controller('ours')
    .for(pods.within({ labels: { app: 'ours' } }))
    .reconcile(async ({ read }) => void (await read.get(secrets, { ...key, name: 'code' })))
}

export const jobPod = (i: number): KubernetesObject =>
  ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: `job-${i}`, namespace: 'jobs', labels: { app: 'job' } } },
    spec: { containers: [{ name: 'app', image: 'app:1' }] },
  }) as KubernetesObject

interface Held {
  readonly objects: number
  readonly receivedBytes: number
}

/** What the caches of an operator hold. */
export function held(operator: Operator): Held {
  const { informers } = operator.report()
  return {
    objects: informers.reduce((sum, { objects }) => sum + objects, 0),
    receivedBytes: informers.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0),
  }
}

export const growth = (before: Held, after: Held): Figure[] => [
  exactly('objects more in the caches', after.objects - before.objects, 0),
  exactly('bytes more in the caches', after.receivedBytes - before.receivedBytes, 0),
]
