/** Connections that break: P1, P4 and P7. */
import { configMaps, pods, secrets } from '@wherry/client/resources/core'
import { configMap, inCluster } from '../harness/cluster.ts'
import { atMost, exactly, lostAndExtra } from '../harness/figure.ts'
import type { WatchReplay } from './replay.ts'

const key = { namespace: 'default' }

/** A router forgets the connection: each side believes that the other is there. */
export const deadConnection: WatchReplay = {
  rule: 'P1',
  happened: 'a connection dropped without FIN; the watch was silent for hours',
  threads: 'kubernetes-external-secrets#362, client-node#596, #958',
  on: 'embedded',
  play: () =>
    inCluster(async ({ user, network, simulation, attempts, start, until }) => {
      await user.create(configMaps, configMap('a', '1'))
      const { log, operator } = start()
      await until(() => log.includes('a 1'))
      for (const connection of network.controls.connections()) network.controls.freeze(connection)
      const begun = simulation.clock.monotonic()
      const before = attempts.length
      await user.modify(configMaps, { ...key, name: 'a' }, object => {
        object.data = { value: '2' }
      })
      await user.create(configMaps, configMap('b', '1'))
      const isWatching = (): boolean => operator.report().informers.every(({ state }) => state === 'watching')
      await simulation.runUntil(() => !isWatching())
      const noticed = simulation.clock.monotonic()
      await simulation.advance(60_000)
      const connected = attempts[before] ?? Number.POSITIVE_INFINITY
      return [
        // A PING after 30 s, and an answer awaited for 15 s.
        atMost('seconds until it is noticed', (noticed - begun) / 1000, 45),
        // The first wait of R22.
        atMost('seconds until the client connects again', (connected - begun) / 1000, 46.6),
        ...lostAndExtra(log, ['a 1', 'a 2', 'b 1']),
      ]
    }),
}

/** The control plane is away for ten minutes: it refuses connections. */
export const deadControlPlane = (informers: number): WatchReplay => ({
  rule: 'P4',
  happened: 'a storm of reconnects against a control plane that was away; addresses were banned',
  threads: 'client-node#1933, podman-desktop#9348, #10063',
  variant: informers === 1 ? 'one informer' : `${informers} informers`,
  on: 'embedded',
  play: () =>
    inCluster(async ({ server, user, network, simulation, attempts, start, until }) => {
      await user.create(configMaps, configMap('a', '1'))
      const views = Array.from({ length: informers - 1 }, (_, i) => pods.within({ namespaces: [`n-${i}`] }))
      const { log, operator } = start({
        declare: one => {
          const more = one.controller('more').for(secrets.within({ namespaces: ['none'] }))
          for (const view of views) more.caches(view)
          more.reconcile(() => {})
        },
      })
      await until(() => log.includes('a 1') && operator.report().informers.every(({ synced }) => synced))
      const begun = simulation.clock.monotonic()
      network.controls.refuse(true)
      for (const connection of network.controls.connections()) await connection.close()
      await server.breakConnections()
      await simulation.advance(600_000)
      const minutes = Array.from({ length: 10 }, (_, i) => {
        const from = begun + i * 60_000
        return attempts.filter(time => time >= from && time < from + 60_000).length
      })
      network.controls.refuse(false)
      await user.create(configMaps, configMap('b', '1'))
      await simulation.advance(120_000)
      return [
        atMost('attempts in the first minute', minutes[0] ?? 0, 8),
        atMost('most attempts in a later minute', Math.max(...minutes.slice(1)), 2),
        ...lostAndExtra(log, ['a 1', 'b 1']),
      ]
    }),
})

/** Lines that can't be read, ends of watches and ends of connections, by turns, 12 s apart. */
export const manyReconnects = (count: number): WatchReplay => ({
  rule: 'P7',
  happened: `${count.toLocaleString('en')} reconnects; descriptors and listeners grew`,
  threads: 'client-node#2893',
  on: 'embedded',
  play: () =>
    inCluster(async ({ server, user, network, simulation, start, until }) => {
      await user.create(configMaps, configMap('a', '1'))
      const { log } = start()
      await until(() => log.includes('a 1'))
      const held = async () => {
        const { byVerb, connections } = await server.stats()
        const streams = byVerb.watch?.configmaps?.openStreams ?? 0
        return { streams, connections: connections.open, ends: network.controls.connections().length }
      }
      await server.endWatches()
      // A connection that is not used is closed after a minute.
      await simulation.advance(120_000)
      const first = await held()
      const garbage = { match: { verb: 'watch' }, times: 1, effect: { kind: 'line', text: '{' } } as const
      for (let i = 0; i < count; i++) {
        // After a line that it can't read it is the client that has to end the watch.
        if (i % 3 === 0) await server.faults.add(garbage)
        if (i % 3 < 2) await server.endWatches()
        else for (const connection of network.controls.connections()) await connection.close()
        await simulation.advance(12_000)
      }
      await simulation.advance(120_000)
      const last = await held()
      await user.create(configMaps, configMap('b', '1'))
      await simulation.advance(120_000)
      return [
        exactly('streams left', last.streams, first.streams),
        exactly('connections left at the server', last.connections, first.connections),
        exactly('connections left at the client', last.ends, first.ends),
        ...lostAndExtra(log, ['a 1', 'b 1']),
      ]
    }),
})
