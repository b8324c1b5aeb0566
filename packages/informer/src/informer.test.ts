import {
  type Client,
  defineResource,
  isForbidden,
  isResourceNotFound,
  OptionRangeError,
  OptionTypeError,
} from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { afterEach, describe, expect, it } from 'vitest'
import { InformerStoppedError, NotSyncedError } from './errors.ts'
import { Informer, type InformerOptions, type WhenSyncedOptions } from './informer.ts'
import { configMap, view } from './testkit/bench.ts'
import { type SimulatedCluster, type SimulatedOptions, simulatedCluster } from './testkit/served.ts'
import { createDefinition, things as customThings, definition, definitions } from './testkit/things.ts'

type ConfigMapOptions = InformerOptions<object, 'namespaced'>

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function cluster(seed: number, options: SimulatedOptions = {}): Promise<SimulatedCluster> {
  const made = await simulatedCluster(seed, options)
  open.push(made)
  return made
}

function informerOf({ client, simulation }: SimulatedCluster, options: Partial<ConfigMapOptions> = {}) {
  const informer = new Informer<object, 'namespaced'>({ client, view, ...options })
  open.push({ close: () => simulation.run(() => informer.close()) })
  return informer
}

const key = (name: string) => ({ name, namespace: 'ns' })
const names = (objects: readonly object[]): unknown[] =>
  objects.map(object => (object as { metadata: { name: string } }).metadata.name).sort()

const dataOf = (object: object | undefined): unknown => (object as { data?: { value?: string } }).data?.value

describe('an informer', () => {
  it('keeps the objects of its view as they are on the server', async () => {
    const served = await cluster(1)
    const { server, writer, simulation } = served
    await server.fill([configMap('a'), configMap('b')])
    const informer = informerOf(served)
    expect([informer.state, informer.hasSynced, informer.size]).toEqual(['idle', false, 0])
    informer.start()
    informer.start()
    await simulation.run(() => informer.whenSynced())
    expect(names(informer.list())).toEqual(['a', 'b'])
    expect(informer.get(key('a'))).toBe(informer.get('ns/a'))
    expect([...informer.keys()].sort()).toEqual(['ns/a', 'ns/b'])
    await simulation.run(async () => {
      await writer.create(view, configMap('c'))
      await writer.patch(view, key('a'), { data: { x: 'y' } })
      await writer.delete(view, key('b'))
    })
    await simulation.runUntil(() => informer.get('ns/b') === undefined)
    expect(names(informer.list({ namespace: 'ns' }))).toEqual(['a', 'c'])
    expect(informer.get('ns/a')).toMatchObject({ data: { x: 'y' } })
    expect(informer.version('ns/a')?.resourceVersion).toMatch(/^\d+$/)
    expect(informer.lastSyncedResourceVersion).toBe(`${await server.revision()}`)
    expect([informer.state, informer.hasSynced, informer.lastError, informer.failed()]).toEqual([
      'watching',
      true,
      undefined,
      [],
    ])
    expect(informer.stats()).toMatchObject({ objects: 2, failed: 0, cursors: 0, registrations: 0 })
  })

  it('R31: handlers receive the objects that are there, then each change', async () => {
    const served = await cluster(2)
    const { server, writer, simulation } = served
    await server.fill([configMap('a')])
    const informer = informerOf(served)
    const log: string[] = []
    informer.addHandler({
      add: (_, about) => log.push(`add ${about.key} ${about.isInInitialList}`),
      update: (_, about) => log.push(`update ${about.key}`),
      delete: (_, about) => log.push(`delete ${about.key} ${about.finalStateUnknown}`),
    })
    informer.start()
    await simulation.run(() => informer.whenSynced())
    await simulation.run(async () => {
      await writer.create(view, configMap('b'))
      await writer.patch(view, key('a'), { data: { x: 'y' } })
      await writer.delete(view, key('b'))
    })
    await simulation.runUntil(() => log.length === 4)
    expect(log).toEqual(['add ns/a true', 'add ns/b false', 'update ns/a', 'delete ns/b false'])
  })

  it('R27, R28: a relist delivers the difference, and a delete without a known last state', async () => {
    const served = await cluster(3)
    const { server, writer, simulation, transport } = served
    await server.fill(['a', 'b', 'c'].map(name => configMap(name)))
    const informer = informerOf(served)
    informer.start()
    await simulation.run(() => informer.whenSynced())
    const log: string[] = []
    informer.addHandler({
      add: (_, about) => log.push(`add ${about.key}`),
      update: (_, about) => log.push(`update ${about.key}`),
      delete: (_, about) => log.push(`delete ${about.key} ${about.finalStateUnknown}`),
    })
    await simulation.runUntil(() => log.length === 3)
    log.length = 0
    transport.controls.refuse(true)
    for (const connection of transport.controls.connections()) transport.controls.kill(connection)
    await simulation.run(async () => {
      await writer.delete(view, key('a'))
      await writer.create(view, configMap('d'))
      await writer.patch(view, key('b'), { data: { x: 'y' } })
    })
    await server.expireWatchCaches()
    transport.controls.refuse(false)
    await simulation.runUntil(() => log.length === 3)
    expect(log[0]).toBe('delete ns/a true')
    expect(log.slice(1).sort()).toEqual(['add ns/d', 'update ns/b'])
  })

  it('R5: an object that a restored server gave the resourceVersion of a state that is gone is what it is now', async () => {
    const served = await cluster(17)
    const { server, writer, simulation } = served
    await server.fill([configMap('a'), configMap('b')])
    const early = await server.revision()
    const informer = informerOf(served)
    const log: string[] = []
    informer.addHandler({ update: (object, { old, key }) => log.push(`${key} ${dataOf(old)} ${dataOf(object)}`) })
    informer.start()
    await simulation.run(() => informer.whenSynced())
    const change = (value: string): Promise<unknown> => writer.patch(view, key('a'), { data: { value } })
    await simulation.run(async () => {
      await change('lost')
      await writer.create(view, configMap('c'))
    })
    await simulation.runUntil(() => informer.get('ns/c') !== undefined)
    const version = informer.version('ns/a')
    await server.restoreEtcd(early)
    await simulation.advance(10)
    await simulation.run(() => change('new'))
    await simulation.runUntil(() => informer.get('ns/c') === undefined, { limitMs: 1_800_000 })
    expect(informer.version('ns/a')).toEqual(version)
    expect(dataOf(informer.get('ns/a'))).toBe('new')
    expect(log).toEqual(['ns/a undefined lost', 'ns/a lost new'])
  })

  it('keeps several namespaces in one store, and has synced when all have', async () => {
    const served = await cluster(4)
    const { server, simulation } = served
    const both = configMaps.within({ namespaces: ['ns', 'other'] })
    const other = { ...configMap('o'), metadata: { name: 'o', namespace: 'other' } }
    await server.fill([configMap('a'), other, { ...other, metadata: { name: 'x', namespace: 'third' } }])
    await server.faults.add({ match: { namespace: 'other' }, nth: 1, effect: { kind: 'delay', ms: 5000 } })
    const informer = informerOf(served, { view: both })
    const states: string[] = []
    informer.on('state', state => states.push(state))
    informer.start()
    await simulation.advance(4000)
    expect([informer.size, informer.hasSynced, informer.state]).toEqual([1, false, 'streaming'])
    await simulation.run(() => informer.whenSynced())
    expect(names(informer.list())).toEqual(['a', 'o'])
    await simulation.settle()
    expect(states).toEqual(['streaming', 'watching'])
    expect(informer.lastSyncedResourceVersion).toBe(`${await server.revision()}`)
  })

  it('R38: gives its changes to cursors and iterators, which end with it', async () => {
    const served = await cluster(5)
    const { server, writer, simulation } = served
    await server.fill([configMap('a')])
    const informer = informerOf(served)
    informer.start()
    const seen: string[] = []
    const reading = (async () => {
      for await (const change of informer.changes()) seen.push(`${change.type} ${change.key ?? ''}`)
      seen.push('end')
    })()
    await simulation.runUntil(() => seen.length === 3)
    await simulation.run(() => writer.delete(view, key('a')))
    await simulation.runUntil(() => seen.length === 4)
    await simulation.run(() => informer.close())
    await simulation.run(() => reading)
    expect(seen).toEqual(['reset ', 'changed ns/a', 'synced ', 'deleted ns/a', 'end'])
  })

  it('R23: an iterator ends when its signal is aborted, and when it is left', async () => {
    const served = await cluster(6)
    const informer = informerOf(served)
    const { simulation } = served
    informer.start()
    await simulation.run(() => informer.whenSynced())
    const aborting = new AbortController()
    const changes = informer.changes({ signal: aborting.signal })
    expect(informer.stats().cursors).toBe(1)
    await simulation.run(async () => {
      expect((await changes.next()).value).toMatchObject({ type: 'reset' })
      expect((await changes.next()).value).toMatchObject({ type: 'synced' })
      const waiting = [changes.next(), changes.next()]
      aborting.abort()
      expect(await Promise.all(waiting)).toEqual([
        { value: undefined, done: true },
        { value: undefined, done: true },
      ])
    })
    expect(informer.stats().cursors).toBe(0)
    await simulation.run(async () => {
      for await (const change of informer.changes()) if (change.type === 'synced') break
    })
    expect(informer.stats().cursors).toBe(0)
    const dead = informer.changes({ signal: AbortSignal.abort() })
    expect(await simulation.run(() => dead.next())).toEqual({ value: undefined, done: true })
  })

  it('R23: after close, calls no handler, sends no request and rejects pending waits', async () => {
    const served = await cluster(7)
    const { server, writer, simulation, asked } = served
    await server.fill([configMap('a')])
    const informer = informerOf(served)
    const log: string[] = []
    informer.on('state', state => log.push(state))
    informer.on('closed', () => log.push('closed'))
    informer.addHandler({ add: (_, about) => log.push(about.key) })
    informer.start()
    await simulation.run(() => informer.whenSynced())
    await simulation.advance(1)
    const closing = informer.close()
    expect(informer.close()).toBe(closing)
    expect(informer.state).toBe('stopped')
    await simulation.run(() => closing)
    await simulation.run(() => writer.create(view, configMap('b')))
    await simulation.advance(600_000)
    expect(log).toEqual(['streaming', 'ns/a', 'watching', 'closed'])
    expect(asked).toHaveLength(1)
    expect((await server.stats()).byVerb.watch?.configmaps).toMatchObject({ openStreams: 0 })
    for (const read of [
      () => informer.get('ns/a'),
      () => informer.list(),
      () => informer.keys(),
      () => informer.size,
      () => informer.failed(),
      () => informer.version('ns/a'),
      () => informer.stats(),
      () => informer.cursor(),
      () => informer.changes(),
      () => informer.addHandler({}),
      () => informer.addIndex('x', () => []),
      () => informer.start(),
    ]) {
      expect(read).toThrow(InformerStoppedError)
    }
    await expect(informer.whenSynced()).rejects.toMatchObject({ code: 'INFORMER_STOPPED', view: view.key })
  })

  it('R23: can be closed from within a handler, at any of its calls', async () => {
    const served = await cluster(8)
    const { server, simulation } = served
    await server.fill([configMap('a'), configMap('b'), configMap('c')])
    const informer = informerOf(served)
    const log: string[] = []
    let closing: Promise<void> | undefined
    informer.addHandler({
      add: (_, about) => {
        log.push(about.key)
        closing = informer.close()
      },
    })
    informer.start()
    await simulation.runUntil(() => closing !== undefined)
    await simulation.run(() => closing as Promise<void>)
    await simulation.advance(60_000)
    expect(log).toEqual(['ns/a'])
    expect(informer.state).toBe('stopped')
  })

  it('R33: a handler that is added after the end is an error that says so', async () => {
    const served = await cluster(9)
    const informer = informerOf(served)
    informer.start()
    await served.simulation.run(() => informer.whenSynced())
    await served.simulation.run(() => informer.close())
    const added: string[] = []
    expect(() => informer.addHandler({ add: () => added.push('add') })).toThrow(InformerStoppedError)
    await served.simulation.advance(1000)
    expect(added).toEqual([])
  })

  it('R23: closed before it began, while it reads and while it waits, it is over at once', async () => {
    for (const [seed, ms] of [
      [9, undefined],
      [10, 0],
      [11, 2],
      [12, 5000],
    ] as const) {
      const served = await cluster(seed)
      const { server, simulation } = served
      if (ms === 5000) await server.refuse(true)
      const informer = informerOf(served)
      if (ms !== undefined) {
        informer.start()
        await simulation.advance(ms)
      }
      const waiting = simulation.run(() => informer.whenSynced().catch((error: Error) => error))
      await simulation.run(() => informer.close())
      expect(await waiting).toBeInstanceOf(InformerStoppedError)
      await served.close()
      await simulation.advance(10)
      expect(simulation.pending()).toEqual([])
    }
  })

  it('notifies its owner of its states, and a listener that throws does not affect the others', async () => {
    const served = await cluster(13)
    const { server, simulation } = served
    const informer = informerOf(served)
    const log: string[] = []
    informer.on('synced', () => {
      throw new Error('mine')
    })
    informer.on('synced', () => log.push('synced'))
    const off = informer.on('synced', () => log.push('never'))
    off()
    off()
    informer.on('error', error => log.push(error.name))
    await server.faults.add({ nth: 1, effect: { kind: 'status', code: 500 } })
    informer.start()
    await simulation.run(() => informer.whenSynced())
    expect(log).toEqual(['ApiError', 'synced'])
    expect(simulation.environment.errors.map(({ context }) => context.phase)).toEqual(['list', 'listener'])
    expect(() => informer.on('x' as 'synced', () => {})).toThrow(OptionRangeError)
    expect(() => informer.on('synced', 1 as never)).toThrow(OptionTypeError)
  })
})

describe('waiting for the first state', () => {
  it('R36: where the signal ends it, says what the informer was doing, and why', async () => {
    const served = await cluster(20)
    const informer = informerOf(served)
    const waiting = new AbortController()
    const { simulation } = served
    const rejected = simulation.run(() => informer.whenSynced({ signal: waiting.signal }).catch(error => error))
    waiting.abort('mine')
    const error = await rejected
    expect(error).toBeInstanceOf(NotSyncedError)
    expect(error).toMatchObject({ code: 'NOT_SYNCED', view: view.key, state: 'idle', cause: 'mine' })
    expect(error.message).toContain('start() was not called')
    await expect(informer.whenSynced({ signal: AbortSignal.abort('dead') })).rejects.toMatchObject({ cause: 'dead' })
    const busy = await served.server.faults.add({ effect: { kind: 'status', code: 503, reason: 'ServiceUnavailable' } })
    informer.start()
    await simulation.runUntil(() => informer.state === 'waiting')
    const late = await informer.whenSynced({ signal: AbortSignal.abort() }).catch(error => error)
    expect(late).toMatchObject({ state: 'waiting', lastError: { status: 503 } })
    expect(late.message).toContain('has not synced (waiting): ')
    expect(late.message).toContain('503')
    await busy.remove()
    await simulation.run(() => informer.whenSynced({ signal: new AbortController().signal }))
  })

  it.each([401, 403])('R36: reports a %d at once, and tries again', async code => {
    const served = await cluster(21)
    const { server, simulation } = served
    await server.fill([configMap('a')])
    const refused = { kind: 'status', code, reason: code === 401 ? 'Unauthorized' : 'Forbidden' } as const
    const handle = await server.faults.add({ effect: refused })
    const informer = informerOf(served)
    informer.start()
    const error = await simulation.run(() => informer.whenSynced().catch((error: unknown) => error))
    expect(error).toMatchObject({ status: code })
    expect(informer.lastError).toBe(error)
    expect(simulation.clock.monotonic()).toBeLessThan(100)
    await expect(informer.whenSynced({ signal: AbortSignal.abort(new Error('no more')) })).rejects.toBe(error)
    await handle.remove()
    await simulation.runUntil(() => informer.hasSynced)
    await informer.whenSynced()
    expect(informer.size).toBe(1)
  })

  it.each(['list', 'watch'])(
    'R36: what may not be both listed and watched has not synced (%s is refused)',
    async verb => {
      const users = { 'token-of-u': { name: 'u', groups: [] } }
      let allowed = false
      const authorization = (asked: { verb: string; user: { name: string } }): boolean =>
        asked.user.name !== 'u' || allowed || asked.verb !== verb
      const served = await cluster(23, { tokens: users, authorization: authorization as never, token: 'token-of-u' })
      await served.server.fill([configMap('a')])
      const informer = informerOf(served)
      informer.start()
      const error = await served.simulation.run(() => informer.whenSynced().catch((error: unknown) => error))
      // A streaming list is a watch for the authorizer.
      expect(verb === 'list' ? error : isForbidden(error)).toBe(verb === 'list' ? undefined : true)
      if (verb === 'watch') {
        expect(`${error}`).toContain('cannot watch resource "configmaps"')
        await served.simulation.advance(300_000)
        expect([informer.hasSynced, informer.size]).toEqual([false, 0])
      }
      allowed = true
      await served.simulation.runUntil(() => informer.hasSynced)
      expect(informer.size).toBe(1)
    },
  )

  it('R36: reports what RBAC does not allow, and reads it once it is allowed', async () => {
    const users = { 'token-of-u': { name: 'u', groups: [] } }
    let allowed = false
    const authorization = (attributes: { user: { name: string } }): boolean => attributes.user.name !== 'u' || allowed
    const served = await cluster(22, { tokens: users, authorization: authorization as never, token: 'token-of-u' })
    const informer = informerOf(served)
    informer.start()
    const error = await served.simulation.run(() => informer.whenSynced().catch((error: unknown) => error))
    expect(isForbidden(error)).toBe(true)
    allowed = true
    await served.simulation.runUntil(() => informer.hasSynced)
  })

  it("D7: with whenUnknown 'wait' a resource is waited for until its definition is there", async () => {
    const served = await cluster(31)
    const { asked, server, simulation } = served
    const informer = informerOf(served, { view: customThings })
    informer.start()
    const log: string[] = []
    const wait = (name: string, options: WhenSyncedOptions): Promise<void> =>
      informer.whenSynced(options).then(
        () => void log.push(`${name} synced`),
        error =>
          void log.push(
            `${name} ${isResourceNotFound(error) ? 'unknown' : isForbidden(error) ? 'forbidden' : error.cause}`,
          ),
      )
    const ended = new AbortController()
    const waits = [
      wait('default', {}),
      wait('error', { whenUnknown: 'error' }),
      wait('first', { whenUnknown: 'wait' }),
      wait('ended', { whenUnknown: 'wait', signal: ended.signal }),
    ]
    await simulation.advance(5000)
    expect(log).toEqual(['default unknown', 'error unknown'])
    waits.push(wait('late', { whenUnknown: 'wait' }))
    await simulation.advance(5000)
    ended.abort('enough')
    // Nobody polls.
    await simulation.advance(50_000)
    const { length } = asked
    await simulation.advance(300_000)
    expect(asked.length - length).toBeLessThanOrEqual(10)
    expect(log.slice(2)).toEqual(['ended enough'])
    const dead = { whenUnknown: 'wait', signal: AbortSignal.abort('dead') } as const
    await expect(informer.whenSynced(dead)).rejects.toMatchObject({ cause: 'dead' })
    const forbidden = await server.faults.add({ effect: { kind: 'status', code: 403, reason: 'Forbidden' } })
    await simulation.runUntil(() => log.length === 5)
    expect(log.slice(3)).toEqual(['first forbidden', 'late forbidden'])
    await forbidden.remove()
    waits.push(wait('again', { whenUnknown: 'wait' }))
    await simulation.advance(10_000)
    await createDefinition(served)
    const from = simulation.clock.monotonic()
    await simulation.run(() => Promise.all(waits))
    expect(log.slice(5)).toEqual(['again synced'])
    // It was asked for less than half a minute ago.
    expect(simulation.clock.monotonic() - from).toBeLessThan(20_000)
    await simulation.run(() => informer.whenSynced({ whenUnknown: 'wait' }))
    await expect(informer.whenSynced({ whenUnknown: 'never' as never })).rejects.toThrow(OptionRangeError)
  })

  it('R36: reports a refusal in one namespace at once, whatever the server answers for another', async () => {
    const served = await cluster(22)
    const { server, simulation } = served
    await server.faults.add({ match: { namespace: 'a' }, effect: { kind: 'status', code: 500 } })
    await server.faults.add({ match: { namespace: 'b' }, effect: { kind: 'status', code: 403, reason: 'Forbidden' } })
    const informer = informerOf(served, { view: configMaps.within({ namespaces: ['a', 'b'] }) })
    informer.start()
    const first = await simulation.run(() => informer.whenSynced().catch((error: unknown) => error))
    await simulation.advance(100)
    const begun = simulation.clock.monotonic()
    const error = await simulation.run(() => informer.whenSynced().catch((error: unknown) => error))
    expect([first, error].map(isForbidden)).toEqual([true, true])
    expect(simulation.clock.monotonic() - begun).toBeLessThan(1000)
  })

  it('R36: a later wait gets the server’s answer of that time', async () => {
    const served = await cluster(24)
    const { server, simulation, asked } = served
    const refused = { kind: 'status', code: 403, reason: 'Forbidden' } as const
    const handle = await server.faults.add({ effect: refused })
    const informer = informerOf(served)
    informer.start()
    const ask = (): Promise<unknown> => simulation.run(() => informer.whenSynced().catch((error: unknown) => error))
    await ask()
    // By now the next try is half a minute away.
    await simulation.advance(120_000)
    await simulation.runUntil(() => informer.state !== 'waiting')
    await simulation.runUntil(() => informer.state === 'waiting')
    await handle.remove()
    await simulation.advance(2000)
    const { length } = asked
    const begun = simulation.clock.monotonic()
    expect(await ask()).toBeUndefined()
    expect(simulation.clock.monotonic() - begun).toBeLessThan(100)
    // A list, and the watch after it.
    expect(asked.length - length).toBeLessThanOrEqual(2)
  })

  it('R36: however many ask, the server is asked once a second', async () => {
    const served = await cluster(25)
    const { server, simulation, asked } = served
    await server.faults.add({ effect: { kind: 'status', code: 403, reason: 'Forbidden' } })
    const informer = informerOf(served)
    informer.start()
    await simulation.advance(120_000)
    const { length } = asked
    let answers = 0
    let isOver = false
    const loops = Array.from({ length: 5 }, async () => {
      while (!isOver) {
        await informer.whenSynced().catch(() => {})
        answers += 1
      }
    })
    await simulation.advance(10_000)
    isOver = true
    await simulation.advance(2000)
    await Promise.all(loops)
    expect(asked.length - length).toBeGreaterThan(8)
    expect(asked.length - length).toBeLessThan(13)
    expect(answers).toBeGreaterThan(40)
    // Nobody asks any more.
    const after = asked.length
    await simulation.advance(29_000)
    expect(asked.length).toBe(after)
  })

  it('R36: reports a selector that the server rejects, and tries it only now and then', async () => {
    const served = await cluster(23)
    const informer = informerOf(served, { view: view.within({ fields: { 'spec.nope': 'x' } }) })
    informer.start()
    const error = await served.simulation.run(() => informer.whenSynced().catch((error: unknown) => error))
    expect(error).toMatchObject({ status: 400 })
    const { length } = served.asked
    await served.simulation.advance(29_000)
    expect(served.asked).toHaveLength(length)
  })

  it('D7: reports a resource that the server does not serve, and waits for it', async () => {
    const served = await cluster(24)
    const unknown = { ...configMaps.resource, group: 'x.io', plural: 'things', kind: 'Thing' } as const
    const things = defineResource<object>({ ...unknown, namespaced: true })
    const informer = informerOf(served, { view: things })
    informer.start()
    const error = await served.simulation.run(() => informer.whenSynced().catch((error: unknown) => error))
    expect(isResourceNotFound(error)).toBe(true)
    await served.simulation.runUntil(() => informer.state === 'missing')
  })

  it('D8: a resource that goes takes its objects along, and brings them back', async () => {
    const served = await cluster(26)
    const { simulation, writer } = served
    await createDefinition(served)
    const informer = informerOf(served, { view: customThings })
    const log: string[] = []
    informer.addHandler({
      add: (_, about) => log.push(`add ${about.key}`),
      delete: (_, about) => log.push(`delete ${about.key} ${about.finalStateUnknown}`),
    })
    informer.start()
    await simulation.run(() => informer.whenSynced())
    await simulation.run(() => writer.create(customThings, { metadata: { name: 'a', namespace: 'default' } } as object))
    await simulation.runUntil(() => log.length === 1)
    const [first] = definition.spec.versions
    const versions = (served: boolean): object[] => [
      { ...first, served },
      { ...first, name: 'v2', storage: false },
    ]
    const serve = (on: boolean): Promise<unknown> =>
      simulation.run(() => writer.patch(definitions, { name: 'things.x.io' }, { spec: { versions: versions(on) } }))
    await serve(false)
    await simulation.runUntil(() => informer.state === 'missing')
    expect([informer.size, informer.hasSynced]).toEqual([0, false])
    const refused = await simulation.run(() => informer.whenSynced().catch((error: unknown) => error))
    expect(refused).toSatisfy(isResourceNotFound)
    await serve(true)
    await simulation.run(() => informer.whenSynced())
    expect(informer.hasSynced).toBe(true)
    await simulation.runUntil(() => informer.state === 'watching')
    expect(log).toEqual(['add default/a', 'delete default/a true', 'add default/a'])
    expect(informer.size).toBe(1)
  })

  it('R23: says so when the client is closed under it', async () => {
    const served = await cluster(25)
    const informer = informerOf(served)
    await served.server.refuse(true)
    informer.start()
    await served.simulation.advance(100)
    const waiting = served.simulation.run(() => informer.whenSynced().catch((error: unknown) => error))
    await served.simulation.run(() => served.client.close())
    expect(await waiting).toMatchObject({ code: 'CLIENT_CLOSED' })
    expect(informer.state).toBe('stopped')
  })

  it('R23: ends as by close when the client is closed under it', async () => {
    const served = await cluster(27)
    const { server, client, simulation } = served
    await server.fill([configMap('a')])
    const informer = informerOf(served)
    informer.start()
    await simulation.run(() => informer.whenSynced())
    const reported: unknown[] = []
    const reading = simulation.run(async () => {
      for await (const change of informer.changes()) reported.push(change.type)
    })
    await simulation.settle()
    await simulation.run(() => client.close())
    await reading
    expect(reported).toEqual(['reset', 'changed', 'synced'])
    expect(() => informer.size).toThrow(InformerStoppedError)
    await expect(informer.whenSynced()).rejects.toBeInstanceOf(InformerStoppedError)
  })

  it('R23: when its client is closed, it emits `closed`, and no state', async () => {
    const served = await cluster(27)
    const informer = informerOf(served)
    const reported: string[] = []
    informer.on('state', state => reported.push(state))
    informer.on('closed', () => reported.push('closed'))
    informer.start()
    await served.simulation.run(() => informer.whenSynced())
    await served.simulation.run(() => served.client.close())
    await served.simulation.settle()
    expect(reported).toEqual(['streaming', 'watching', 'closed'])
  })

  it('R36: reports a missing permission once, however often it tries', async () => {
    let allowed = false
    const served = await cluster(28, { authorization: () => allowed })
    const { simulation } = served
    const informer = informerOf(served)
    informer.start()
    await simulation.advance(600_000)
    const forbidden = () => simulation.environment.errors.filter(({ error }) => isForbidden(error)).length
    expect(forbidden()).toBe(1)
    expect(isForbidden(informer.lastError)).toBe(true)
    allowed = true
    await simulation.runUntil(() => informer.state === 'watching')
    allowed = false
    await served.server.restart()
    await simulation.advance(600_000)
    expect(forbidden()).toBe(2)
  })

  it('R23, X6: is not kept from it by a wait that was asked for wrongly, and refused', async () => {
    const served = await cluster(26)
    const informer = informerOf(served)
    for (const bad of [{ signal: 1 }, { sigal: new AbortController().signal }]) {
      await expect(informer.whenSynced(bad as never)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    }
    const waiting = expect(informer.whenSynced()).rejects.toMatchObject({ code: 'INFORMER_STOPPED' })
    await served.simulation.run(() => informer.close())
    await waiting
  })
})

describe('options of an informer', () => {
  const client = { raw: { requester: { request() {} } }, environment: { onError() {} } } as unknown as Client
  it.each<[string, object]>([
    ['no client', { client: undefined }],
    ['a client that is none', { client: {} }],
    ['no view', { view: undefined }],
    ['a view that is none', { view: 'configmaps' }],
    ['an unknown option', { foo: 1 }],
    ['an unknown way to read', { initial: 'sideways' }],
    ['no page', { pageSize: 0 }],
    ['half an object', { maxObjectBytes: 0.5 }],
    ['a word for freeze', { freeze: 'yes' }],
    ['negative tombstones', { maxTombstones: -1 }],
    ['endless tombstones', { maxTombstoneBytes: Number.POSITIVE_INFINITY }],
    ['an index that is none', { indices: { a: 1 } }],
    ['knowledge of streaming that is none', { streaming: {} }],
  ])('X6: refuses %s', (_, options) => {
    expect(() => new Informer({ client, view, ...options } as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    )
  })
})
