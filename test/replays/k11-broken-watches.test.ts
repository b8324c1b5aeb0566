/**
 * What broke watches of operators that are in use, one test a cause. The threads are in docs/guarantees/broken-watches.md; P5 is a test of the
 * informer.
 */
import { configMaps, pods, secrets } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { configMap, inCluster } from './harness/cluster.ts'

const key = { namespace: 'default' }

it('P1: a connection that is dead without a word is noticed within 45 s, and nothing is lost', () =>
  inCluster(async ({ user, network, simulation, start, until }) => {
    await user.create(configMaps, configMap('a', '1'))
    const { log } = start()
    await until(() => log.includes('a 1'))
    for (const connection of network.controls.connections()) network.controls.freeze(connection)
    const begun = simulation.clock.monotonic()
    await user.modify(configMaps, { ...key, name: 'a' }, object => {
      object.data = { value: '2' }
    })
    await user.create(configMaps, configMap('b', '1'))
    await until(() => log.includes('a 2') && log.includes('b 1'))
    // A PING after 30 s, an answer awaited for 15 s, and a moment to connect.
    expect(simulation.clock.monotonic() - begun).toBeLessThan(46_000)
  }))

it.each([undefined, 7])('P2: a 429 for a minute (Retry-After: %s) costs no relist and no event', retryAfterSeconds =>
  inCluster(async ({ server, user, simulation, start, until }) => {
    await user.create(configMaps, configMap('a', '1'))
    const { log } = start()
    await until(() => log.includes('a 1'))
    const effect = { kind: 'status', code: 429, ...(retryAfterSeconds && { retryAfterSeconds }) } as const
    const busy = await server.faults.add({ match: { verb: 'watch' }, effect })
    await server.resetStats()
    await server.endWatches()
    for (let i = 0; i < 6; i++) {
      await simulation.advance(10_000)
      await user.create(configMaps, configMap(`missed-${i}`, '1'))
    }
    await user.delete(configMaps, { ...key, name: 'a' })
    const { watch, list } = (await server.stats()).byVerb
    expect(list?.configmaps?.requests ?? 0).toBe(0)
    expect(watch?.configmaps?.requests).toBeLessThanOrEqual(12)
    await busy.remove()
    await until(() => log.includes('a gone') && [0, 1, 2, 3, 4, 5].every(i => log.includes(`missed-${i} 1`)))
    expect(log.toSorted()).toEqual(['a 1', 'a gone', ...[0, 1, 2, 3, 4, 5].map(i => `missed-${i} 1`)])
    expect((await server.stats()).byVerb.list?.configmaps?.requests ?? 0).toBe(0)
  }),
)

it('P3: an object whose reconcile throws comes again with growing waits, and others are not disturbed', () =>
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
    await until(() => times.length === 5)
    await user.create(configMaps, configMap('good', '1'))
    await until(() => log.includes('good 1'))
    expect(times.length).toBeLessThanOrEqual(7)
    await until(() => times.length === 12)
    await simulation.advance(3_600_000)
    expect(times).toHaveLength(12)
    const waits = times.slice(1).map((time, i) => time - (times[i] ?? 0))
    for (const [i, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(5 * 2 ** i - 1)
    await end()
  }))

it.each([1, 20])(
  'P4: a control plane that is away is asked 8 times in a minute at most, then twice a minute, by %i informers',
  count =>
    inCluster(async ({ server, user, network, simulation, attempts, start, until }) => {
      await user.create(configMaps, configMap('a', '1'))
      const views = Array.from({ length: count - 1 }, (_, i) => pods.within({ namespaces: [`n-${i}`] }))
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
      expect(minutes[0]).toBeLessThanOrEqual(8)
      for (const minute of minutes.slice(1)) expect(minute).toBeLessThanOrEqual(2)
      network.controls.refuse(false)
      await user.create(configMaps, configMap('b', '1'))
      await until(() => log.includes('b 1'))
    }),
)

it.each(['disconnected', 'expired'])('P6: what is deleted while it is %s is told once', how =>
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
    await until(() => log.includes('b gone') && log.includes('c 2'))
    await simulation.advance(600_000)
    expect(log.filter(line => line === 'b gone')).toHaveLength(1)
    expect(log.filter(line => line === 'c 2')).toHaveLength(1)
    expect(log.filter(line => line.startsWith('a'))).toEqual(['a 1'])
  }),
)

it('P6: what is deleted while its key waits to run is told once, and its reconcile does not run', () =>
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
    await until(() => log.includes('b gone') || log.includes('b 1'))
    await simulation.advance(60_000)
    // Its reconcile has not run, so it is no state of it that is told, but that it is gone.
    expect(log).toEqual(['a 1', 'b gone'])
  }))

it('P7: after 1,000 reconnects there are as many connections and streams as after one', () =>
  inCluster(async ({ server, user, network, simulation, start, until }) => {
    await user.create(configMaps, configMap('a', '1'))
    const { log } = start()
    await until(() => log.includes('a 1'))
    const held = async (): Promise<object> => {
      const { byVerb, connections } = await server.stats()
      return {
        streams: byVerb.watch?.configmaps?.openStreams,
        connections: connections.open,
        ends: network.controls.connections().length,
      }
    }
    await server.endWatches()
    // A connection that nobody uses is closed after a minute.
    await simulation.advance(120_000)
    const first = await held()
    for (let i = 0; i < 1000; i++) {
      if (i % 2 === 0) await server.endWatches()
      else for (const connection of network.controls.connections()) await connection.close()
      await simulation.advance(12_000)
    }
    await simulation.advance(120_000)
    expect(await held()).toEqual(first)
    await user.create(configMaps, configMap('b', '1'))
    await until(() => log.includes('b 1'))
    expect(log).toEqual(['a 1', 'b 1'])
  }))

it('P8: an operator that is stopped and another one that is started bring no state that is old', () =>
  inCluster(async ({ user, simulation, start, until }) => {
    await user.create(configMaps, configMap('a', '1'))
    await user.create(configMaps, configMap('b', '1'))
    const first = start()
    await until(() => first.log.length === 2)
    await first.end()
    await user.modify(configMaps, { ...key, name: 'a' }, object => {
      object.data = { value: '2' }
    })
    await user.delete(configMaps, { ...key, name: 'b' })
    const second = start()
    await until(() => second.log.includes('a 2'))
    await simulation.advance(600_000)
    expect(first.log).toHaveLength(2)
    expect(second.log).toEqual(['a 2'])
  }))

it('P9: 6,186 pods of others in an hour bring no byte and no object', () =>
  inCluster(async ({ server, user, simulation, start, until }) => {
    await user.create(configMaps, configMap('a', '1'))
    const { log, operator } = start({
      declare: one =>
        void one
          .controller('ours')
          .for(pods.within({ labels: { app: 'ours' } }))
          .reconcile(async ({ read }) => void (await read.get(secrets, { ...key, name: 'code' }))),
    })
    await until(() => log.includes('a 1') && operator.report().informers.every(({ synced }) => synced))
    const { receivedBytes } = total(operator.report())
    await server.resetStats()
    const job = (i: number) => ({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: `job-${i}`, namespace: 'jobs', labels: { app: 'job' } } },
      spec: { containers: [{ name: 'app', image: 'app:1' }] },
    })
    for (let minute = 0; minute < 60; minute++) {
      await server.fill(Array.from({ length: 104 }, (_, i) => job(minute * 104 + i)).slice(0, 6186 - minute * 104))
      await simulation.advance(60_000)
    }
    const { byVerb } = await server.stats()
    const sent = Object.values(byVerb).flatMap(of => Object.values(of).map(({ objectBytes }) => objectBytes))
    expect(sent.reduce((sum, bytes) => sum + bytes, 0)).toBe(0)
    expect(total(operator.report())).toEqual({ objects: 1, receivedBytes })
  }))

function total({
  informers,
}: {
  readonly informers: readonly { readonly objects: number; readonly receivedBytes: number }[]
}) {
  return {
    objects: informers.reduce((sum, { objects }) => sum + objects, 0),
    receivedBytes: informers.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0),
  }
}
