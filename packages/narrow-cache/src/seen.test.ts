import { configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { denying } from './testkit/denials.ts'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'
import { late } from './testkit/late.ts'

const x = keyOf('a/x')
const selected = configMaps.within({ labels: { app: 'x' } })

describe('what this process has seen', () => {
  it('N9: two writes of one’s own out of the selector are waited for no longer than 5 s', () =>
    withNarrow(async kit => {
      const { narrow, client, run, write, get, simulation } = kit
      const writes = client.withWriteListeners(narrow)
      await write('+a/x app=x')
      expect(await get('a/x', selected)).toBeDefined()
      const inTime = await late(kit)
      await run(() => writes.patch(configMaps, x, { metadata: { labels: { app: 'y' } } }))
      await run(() => writes.patch(configMaps, x, { data: { n: '2' } }))
      await inTime()
      const begun = simulation.clock.monotonic()
      expect(await get('a/x', selected)).toBeUndefined()
      expect(simulation.clock.monotonic() - begun).toBeLessThan(5100)
    }))

  it('N9: a write of an object that the field selector does not take is waited for no longer than 5 s', () =>
    withNarrow(async ({ narrow, client, run, simulation }) => {
      const view = configMaps.within({ fields: { 'metadata.name': 'y' } })
      const writes = client.withWriteListeners(narrow)
      expect(await run(() => narrow.get(view, x))).toBeUndefined()
      const begun = simulation.clock.monotonic()
      await run(() => writes.create(configMaps, { metadata: x }))
      expect(await run(() => narrow.get(view, x))).toBeUndefined()
      expect(simulation.clock.monotonic() - begun).toBeLessThan(5100)
    }))

  it('N9: is not delivered otherwise to new subscriptions while the server does not answer', () =>
    withNarrow(async kit => {
      const { narrow, client, run, write, get, server, simulation } = kit
      const writes = client.withWriteListeners(narrow)
      await write('+a/x')
      await get('a/x')
      const inTime = await late(kit)
      await write('-a/x')
      await run(() => writes.create(configMaps, { metadata: x }))
      await run(() => writes.delete(configMaps, x))
      const effect = { kind: 'status', code: 500 } as const
      const fails = await run(() => server.faults.add({ match: { verb: 'list' }, effect }))
      const log: string[] = []
      const watching = run(() => narrow.watch(configMaps, x, noting(log)))
      await simulation.advance(1000)
      expect(log).toEqual([])
      await inTime()
      await run(() => fails.remove())
      await watching
      expect(log).toEqual(['0a/x'])
    }))

  it('N9: an absence that the server was asked for is not followed by what was before it', () => {
    let isDenied = false
    return withNarrow(
      async ({ narrow, run, write, get, server, simulation }) => {
        const seen: unknown[] = []
        const read = (): void => void narrow.get(configMaps, x).then(object => seen.push(object?.data?.n))
        await run(() => narrow.watch(configMaps, x, { add: read, update: read, delete: read }))
        isDenied = true
        await run(() => server.endWatches('configmaps'))
        await simulation.advance(5000)
        await write('+a/x', '-a/x')
        expect(await get('a/x')).toBeUndefined()
        isDenied = false
        await simulation.advance(400_000)
        expect(seen.filter(n => n !== undefined)).toEqual([])
      },
      { cluster: denying(({ verb }) => isDenied && verb === 'watch') },
    )
  })

  it('N9: nor is that by a delete of one’s own which found nothing', () =>
    withNarrow(async kit => {
      const { narrow, client, run, write, get, simulation } = kit
      const writes = client.withWriteListeners(narrow)
      const seen: unknown[] = []
      const read = (): void => void narrow.get(configMaps, x).then(object => seen.push(object?.data?.n))
      await run(() => narrow.watch(configMaps, x, { add: read, update: read, delete: read }))
      const inTime = await late(kit)
      await write('+a/x', '-a/x')
      expect(await run(() => writes.delete(configMaps, x))).toBeUndefined()
      expect(await get('a/x')).toBeUndefined()
      await inTime()
      await simulation.advance(60_000)
      expect(seen.filter(n => n !== undefined)).toEqual([])
    }))

  it('N9: nor is that so while an earlier one is still held', () =>
    withNarrow(async kit => {
      const { narrow, client, run, write, get, simulation } = kit
      const writes = client.withWriteListeners(narrow)
      await write('+a/x')
      await get('a/x')
      const seen: unknown[] = []
      const read = (): void => void narrow.get(configMaps, x).then(object => seen.push(object?.data?.n))
      await run(() => narrow.watch(configMaps, x, { add: (_, { isInInitialList }) => isInInitialList || read() }))
      const inTime = await late(kit)
      await write('-a/x', '+a/x', '-a/x')
      expect(await run(() => writes.delete(configMaps, x))).toBeUndefined()
      await inTime()
      await simulation.advance(100_000)
      expect(seen).toEqual([undefined])
    }))

  it('N9: a deletion that is reported while the server is being asked is asked for once more', () =>
    withNarrow(async kit => {
      const { narrow, run, write, get, server, simulation } = kit
      await get('a/x')
      await late(kit)
      await write('+a/x')
      narrow.deleted(configMaps, x)
      const effect = { kind: 'slow', bytesPerSecond: 300 } as const
      await run(() => server.faults.add({ match: { verb: 'list' }, nth: 1, effect }))
      const reading = get('a/x')
      await simulation.advance(100)
      await write('-a/x')
      narrow.deleted(configMaps, x)
      expect(await get('a/x')).toBeUndefined()
      await reading
    }))

  // As while its contents are being deleted.
  const stays = { cluster: { controllers: false } }
  const team = { name: 'team' }

  it('N9: a namespace that is being deleted, and is still there, is read as such at once', () =>
    withNarrow(async ({ narrow, run, client, simulation }) => {
      const writes = client.withWriteListeners(narrow)
      await run(() => writes.create(namespaces, { metadata: team }))
      await run(() => narrow.get(namespaces, team))
      const begun = simulation.clock.monotonic()
      await run(() => writes.delete(namespaces, team))
      expect((await run(() => narrow.get(namespaces, team)))?.status?.phase).toBe('Terminating')
      expect(simulation.clock.monotonic() - begun).toBeLessThan(5000)
    }, stays))

  it('N9: nor is one delivered as absent to the first subscription', () =>
    withNarrow(async ({ narrow, run, client, server }) => {
      const writes = client.withWriteListeners(narrow)
      await run(() => writes.create(namespaces, { metadata: team }))
      await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'delay', ms: 300 } }))
      const log: unknown[] = []
      const handler = { add: ({ status }: { status?: { phase?: string } }) => log.push(status?.phase) }
      const watching = run(() => narrow.watch(namespaces, team, { ...handler, absent: () => log.push('absent') }))
      await run(() => writes.delete(namespaces, team))
      await watching
      expect(log).toEqual(['Terminating'])
    }, stays))
})

it.each([1, 10])(
  'N9: after its client was closed, a cache gives nothing that it can’t know to be so (escalateAt %i)',
  escalateAt =>
    withNarrow(
      async ({ narrow, run, write, get, client, simulation }) => {
        await write('+a/x')
        for (const name of ['x', 'y']) await get(`a/${name}`)
        await simulation.advance(1000)
        await run(() => client.close())
        for (const name of ['x', 'new']) {
          await expect(get(`a/${name}`)).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
          const watching = run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting([])))
          await expect(watching).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
        }
        expect(narrow.peek(configMaps, x)).toBeUndefined()
      },
      { escalateAt },
    ),
)

it('N9, N11: nor does one wait for one watch of many that the client won’t open any more', () =>
  withNarrow(
    async ({ run, get, client, server, simulation }) => {
      for (const verb of ['list', 'watch']) {
        await run(() => server.faults.add({ match: { verb, name: '' }, effect: { kind: 'hang' } }))
      }
      const begun = simulation.clock.monotonic()
      await get('a/x')
      const reading = get('a/y')
      reading.catch(() => {})
      await simulation.advance(1000)
      await run(() => client.close())
      await expect(reading).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
      expect(simulation.clock.monotonic() - begun).toBeLessThan(5000)
    },
    { escalateAt: 1 },
  ))
