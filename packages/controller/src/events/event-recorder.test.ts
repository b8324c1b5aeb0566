import { configMaps, events, namespaces } from '@wherry/client/resources/core'
import { clusterRoles } from '@wherry/client/resources/rbac'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Cluster, startCluster } from '../testkit.fixture.ts'
import { EventRecorder } from './event-recorder.ts'

let cluster: Cluster

beforeEach(async () => {
  cluster = await startCluster()
})

afterEach(async () => {
  await cluster.close()
  await cluster.simulation.advance(1000)
  expect(cluster.simulation.pending()).toEqual([])
})

const object = { metadata: { name: 'a', namespace: 'default', uid: 'u1', resourceVersion: '7' } }
const recorderOf = (options: object = {}) =>
  new EventRecorder({ client: cluster.client, controller: 'game', instance: 'pod-1', ...options })
type Recording = Cluster & { readonly recorder: EventRecorder }
type Test = (recording: Recording) => Promise<void>

/** Runs a test with a recorder, and closes it. */
function recording(test: Test): Promise<void> {
  return cluster.simulation.run(async () => {
    const recorder = recorderOf()
    await test({ ...cluster, recorder })
    await recorder.close()
  })
}
const stored = async () => (await cluster.client.list(events)).items
const counts = async () => (await stored()).map(({ message, count }) => `${count} ${message}`)
const about = (name: string, namespace = 'default') => ({ metadata: { name, namespace, uid: `uid-${name}` } })
const errors = () => cluster.simulation.environment.errors.map(({ error }) => error.message)

it('C9: an event says what happened to what, and counts on when it happens again', () =>
  recording(async ({ recorder }) => {
    recorder.record(configMaps, object, { reason: 'Created', message: 'made it' })
    await cluster.simulation.advance(1000)
    for (let i = 0; i < 4; i += 1) recorder.record(configMaps, object, { reason: 'Created', message: 'made it' })
    recorder.record(configMaps, object, {
      type: 'Warning',
      reason: 'Failed',
      action: 'Creating',
      message: 'x'.repeat(2000),
    })
    recorder.record(namespaces, { metadata: { name: 'n' } }, { reason: 'Seen', message: 'of no namespace' })
    await recorder.close()
    const [first, second, third] = (await stored()).toSorted(
      (x, y) =>
        (x.firstTimestamp ?? '').localeCompare(y.firstTimestamp ?? '') ||
        (x.reason ?? '').localeCompare(y.reason ?? ''),
    )
    expect(first).toMatchObject({
      metadata: { name: expect.stringMatching(/^a\.[0-9a-f]+$/), namespace: 'default' },
      involvedObject: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'a',
        namespace: 'default',
        uid: 'u1',
        resourceVersion: '7',
      },
      ...{ type: 'Normal', reason: 'Created', action: 'Created', message: 'made it', count: 5 },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:01Z',
      source: { component: 'game' },
      reportingComponent: 'game',
      reportingInstance: 'pod-1',
    })
    expect(second).toMatchObject({ type: 'Warning', action: 'Creating', count: 1 })
    expect(second?.message).toHaveLength(1024)
    expect(third).toMatchObject({
      metadata: { namespace: 'default' },
      involvedObject: { kind: 'Namespace', name: 'n' },
    })
    expect([recorder.dropped, recorder.pending]).toEqual([0, 0])
    expect((await cluster.server.stats()).byVerb.create?.events?.requests).toBe(3)
    expect((await cluster.server.stats()).byVerb.patch?.events?.requests).toBe(1)
  }))

it('C9: many messages of one reason become one, and a forgotten one starts a new series', () =>
  recording(async ({ client, simulation, recorder }) => {
    for (let i = 0; i < 13; i += 1) {
      recorder.record(configMaps, object, { reason: 'R', message: `m${i}` })
      await simulation.advance(100)
    }
    const alone = Array.from({ length: 9 }, (_, i) => `1 m${i}`)
    expect((await counts()).toSorted()).toEqual([...alone, '4 (combined from similar events): m12'])
    for (const { metadata } of await stored())
      await client.delete(events, { name: metadata.name as string, namespace: 'default' })
    recorder.record(configMaps, object, { reason: 'R', message: 'm13' })
    await simulation.advance(100)
    expect(await counts()).toEqual(['5 (combined from similar events): m13'])
    await simulation.advance(600_001)
    recorder.record(configMaps, object, { reason: 'R', message: 'm14' })
    await recorder.close()
    expect((await counts()).toSorted()).toEqual(['1 m14', '5 (combined from similar events): m13'])
  }))

it('C9: too many events about one object are dropped and counted, and fit again in time', () =>
  recording(async ({ simulation, recorder }) => {
    const other = (uid: string) => ({ metadata: { name: uid, namespace: 'default', uid } })
    for (let i = 0; i < 28; i += 1) recorder.record(configMaps, object, { reason: 'R', message: 'm' })
    expect(recorder.dropped).toBe(3)
    await simulation.advance(300_000)
    recorder.record(configMaps, object, { reason: 'R', message: 'm' })
    expect([recorder.dropped, await simulation.advance(100), await counts()]).toEqual([3, undefined, ['26 m']])
    for (let i = 0; i < 1001; i += 1) recorder.record(configMaps, other(`b${i}`), { reason: 'R', message: 'm' })
    expect([recorder.dropped, recorder.pending]).toEqual([4, 1000])
    await recorder.close()
    recorder.record(configMaps, other('f'), { reason: 'R', message: 'm' })
    const { environment } = simulation
    const dropped = ['rate', 'full', 'closed'].map(reason =>
      environment.metric('wherry_events_dropped_total', { reason }),
    )
    expect(dropped).toEqual([3, 1, 1])
    expect(environment.metric('wherry_events_recorded_total', { type: 'Normal' })).toBe(1026)
  }))

it('C9, X9: tries again while the server can’t take it, drops what it refuses, and ends in time', () =>
  recording(async ({ server, simulation, recorder }) => {
    await server.faults.add({ match: { resource: 'events' }, times: 2, effect: { kind: 'status', code: 500 } })
    recorder.record(configMaps, object, { reason: 'R', message: 'm' })
    await simulation.advance(500)
    recorder.record(configMaps, object, { reason: 'R', message: 'm' })
    await simulation.advance(10_000)
    expect([await counts(), errors().length]).toEqual([['2 m'], 2])
    const refusal = await server.faults.add({
      match: { resource: 'events', verb: 'create' },
      effect: { kind: 'status', code: 403, reason: 'Forbidden' },
    })
    recorder.record(configMaps, object, { reason: 'Other', message: 'm' })
    await simulation.advance(100)
    expect([recorder.dropped, recorder.pending]).toEqual([1, 0])
    await refusal.remove()
    await server.faults.add({ match: { resource: 'events', verb: 'create' }, effect: { kind: 'hang' } })
    recorder.record(configMaps, object, { reason: 'Third', message: 'm' })
    recorder.record(configMaps, object, { reason: 'Fourth', message: 'm' })
    const from = simulation.clock.monotonic()
    await recorder.close({ timeoutMs: 2000 })
    await recorder.close()
    expect(simulation.clock.monotonic() - from).toBe(2000)
    expect(recorder.dropped).toBe(3)
    await server.faults.clear()
  }))

it("C9, D7: a load balancer's page loses no event, and starts no new series", () =>
  recording(async ({ server, simulation, recorder }) => {
    for (const times of [1, 2]) {
      await server.faults.add({
        match: { resource: 'events' },
        times: 2,
        effect: { kind: 'status', code: 404, plain: true },
      })
      recorder.record(configMaps, object, { reason: 'R', message: 'm' })
      await simulation.advance(20_000)
      expect([await counts(), recorder.dropped, recorder.pending]).toEqual([[`${times} m`], 0, 0])
    }
  }))

it('X9: bad input is reported, not thrown', () => {
  const recorder = recorderOf()
  const good = { reason: 'R', message: 'm' }
  recorder.record(configMaps, {}, good)
  recorder.record(configMaps, null as never, good)
  recorder.record(configMaps, object, null as never)
  for (const bad of [
    { type: 'Error' },
    { reason: '' },
    { reason: 'two words' },
    { reason: 'x'.repeat(129) },
    { message: 1 },
  ]) {
    recorder.record(configMaps, object, { ...good, ...bad } as never)
  }
  expect([recorder.dropped, errors().length, recorder.pending]).toEqual([8, 8, 0])
})

it('X6: names a wrong option', async () => {
  const wrong = {
    client: {},
    controller: 'a b',
    instance: 'x'.repeat(129),
    events: 1,
  }
  for (const [name, value] of Object.entries(wrong)) {
    expect(() => recorderOf({ [name]: value }), name).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', option: `events.${name}` }),
    )
  }
  expect(() => new EventRecorder(undefined as never)).toThrow(expect.objectContaining({ option: 'events' }))
  expect(() => recorderOf({ client: undefined })).toThrow(expect.objectContaining({ option: 'events.client' }))
  expect(() => recorderOf({ controller: undefined })).toThrow(expect.objectContaining({ option: 'events.controller' }))
  await expect(recorderOf().close({ timeoutMs: -1 })).rejects.toMatchObject({ option: 'close.timeoutMs' })
})

it('C9: records an event of an object with a name that is too long for an event, or that no event may have', () =>
  recording(async ({ recorder }) => {
    const made = { reason: 'Made', message: 'made it' }
    const long = 'a'.repeat(250)
    for (const name of ['system:aggregate-to-view', 'MyRole', '2001:db8::', '::', long]) {
      recorder.record(clusterRoles, { metadata: { name } }, made)
    }
    await recorder.close()
    expect(errors()).toEqual([])
    const reported = (await stored()).map(({ metadata, involvedObject }) => [
      involvedObject.name,
      metadata.name?.replace(/[0-9a-f]{16}$/, ''),
    ])
    expect(reported.toSorted()).toEqual([
      ['2001:db8::', '2001-db8.'],
      ['::', ''],
      ['MyRole', 'myrole.'],
      [long, expect.stringMatching(/^a+\.$/)],
      ['system:aggregate-to-view', 'system-aggregate-to-view.'],
    ])
  }))

it('C9: counts how often what it drops has come', () =>
  recording(async ({ server, simulation, recorder }) => {
    const again = async (times: number) => {
      for (let i = 0; i < times; i += 1) recorder.record(configMaps, object, { reason: 'R', message: 'm' })
      await simulation.advance(1000)
    }
    await again(2)
    const refusal = { kind: 'status', code: 403, reason: 'Forbidden' } as const
    await server.faults.add({ match: { resource: 'events', verb: 'patch' }, effect: refusal })
    await again(3)
    expect([await counts(), recorder.dropped, recorder.pending]).toEqual([['2 m'], 3, 0])
    expect(simulation.environment.metric('wherry_events_dropped_total', { reason: 'refused' })).toBe(3)
  }))

it('C9: one that waits goes on, however long it waits', () =>
  recording(async ({ server, simulation, recorder }) => {
    await server.faults.add({ match: { resource: 'events' }, effect: { kind: 'drop' } })
    recorder.record(configMaps, object, { reason: 'R', message: 'm' })
    await simulation.advance(11 * 60_000)
    recorder.record(configMaps, object, { reason: 'R', message: 'm' })
    await server.faults.clear()
    await simulation.advance(120_000)
    expect([await counts(), recorder.dropped]).toEqual([['2 m'], 0])
  }))

it('C9: a namespace with events that the server fails to take holds up no others', () =>
  recording(async ({ client, server, simulation, recorder }) => {
    const said = (message: string) => ({ reason: 'R', message })
    await client.create(namespaces, { metadata: { name: 'bad' } })
    await server.faults.add({ match: { resource: 'events', namespace: 'bad' }, effect: { kind: 'status', code: 500 } })
    for (let i = 0; i < 15; i += 1) recorder.record(configMaps, about(`b${i}`, 'bad'), said('m'))
    await simulation.advance(10_000)
    recorder.record(configMaps, object, said('good'))
    await simulation.advance(100)
    expect([await counts(), recorder.dropped, recorder.pending]).toEqual([['1 good'], 0, 15])
    await server.faults.clear()
    await recorder.close()
    expect((await client.list(events.within({ namespaces: ['bad'] }))).items).toHaveLength(15)
  }))

it('C9, X8: gives up what the server fails to take again and again, and at once what it never will', () =>
  recording(async ({ server, simulation, recorder }) => {
    recorder.record(configMaps, about('a', 'a/b'), { reason: 'R', message: 'm' })
    await simulation.advance(1000)
    expect([recorder.pending, recorder.dropped, errors().length]).toEqual([0, 1, 1])
    await server.faults.add({ match: { resource: 'events' }, effect: { kind: 'status', code: 500 } })
    recorder.record(configMaps, object, { reason: 'R', message: 'm' })
    await simulation.advance(3_600_000)
    expect([recorder.pending, recorder.dropped, errors().length]).toEqual([0, 2, 13])
    expect(simulation.environment.metric('wherry_events_dropped_total', { reason: 'failed' })).toBe(1)
    await server.faults.clear()
    recorder.record(configMaps, object, { reason: 'R', message: 'm' })
    await simulation.advance(1000)
    expect(await counts()).toEqual(['1 m'])
  }))

it('C9, X12: is there once if the answer was lost, also without the right to read events', () =>
  recording(async ({ server, simulation, recorder }) => {
    const match = { resource: 'events' }
    await server.faults.add({ match: { ...match, verb: 'create' }, times: 1, effect: { kind: 'drop' } })
    const refusal = { kind: 'status', code: 403, reason: 'Forbidden' } as const
    await server.faults.add({ match: { ...match, verb: 'get' }, effect: refusal })
    recorder.record(configMaps, object, { reason: 'R', message: 'm' })
    await simulation.advance(100)
    recorder.record(configMaps, object, { reason: 'R', message: 'm' })
    await simulation.advance(120_000)
    expect([await counts(), recorder.dropped]).toEqual([['2 m'], 0])
  }))

it('C9: close sends what waits to be tried again', () =>
  recording(async ({ server, simulation, recorder }) => {
    await server.faults.add({ match: { resource: 'events' }, effect: { kind: 'status', code: 503 } })
    recorder.record(configMaps, object, { reason: 'R', message: 'm' })
    recorder.record(configMaps, object, { reason: 'Other', message: 'n' })
    await simulation.advance(5 * 60_000)
    expect(recorder.pending).toBe(2)
    await server.faults.clear()
    const from = simulation.clock.monotonic()
    await recorder.close()
    expect((await counts()).toSorted()).toEqual(['1 m', '1 n'])
    expect([recorder.dropped, recorder.pending]).toEqual([0, 0])
    expect(simulation.clock.monotonic() - from).toBeLessThan(1000)
  }))

it('C9: of a message it keeps no more than it sends', () =>
  recording(async ({ recorder }) => {
    const long = 'x'.repeat(2000)
    for (const end of 'abcdefghijkl') recorder.record(configMaps, object, { reason: 'R', message: `${long}${end}` })
    await recorder.close()
    // They are one and the same, so that nothing is combined.
    expect(await counts()).toEqual([`12 ${'x'.repeat(1023)}…`])
  }))
