import { afterEach, describe, expect, it } from 'vitest'
import { Informer } from './informer.ts'
import { Reflector } from './reflector/reflector.ts'
import { byLabel } from './store/by-label.ts'
import { Store, type StoreOptions } from './store/store.ts'
import { bed, item, items } from './store/testkit/objects.ts'
import { configMap, target, view } from './testkit/bench.ts'
import { RecordingWriter } from './testkit/recording-writer.ts'
import { type SimulatedCluster, simulatedCluster } from './testkit/served.ts'
import { createDefinition, definitions, thingsTarget } from './testkit/things.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function cluster(): Promise<SimulatedCluster> {
  const made = await simulatedCluster(1)
  open.push(made)
  return made
}

function informerOf({ client, simulation }: SimulatedCluster): Informer<object, 'namespaced'> {
  const informer = new Informer<object, 'namespaced'>({ client, view })
  open.push({ close: () => simulation.run(() => informer.close()) })
  return informer
}

/** A reflector that watches, and some of its writers throw. */
function reflectorOf({ client, simulation }: SimulatedCluster, ...writers: readonly RecordingWriter[]): Reflector {
  const reflector = new Reflector({ client, target })
  for (const writer of writers) reflector.add(writer)
  open.push({ close: () => simulation.run(() => reflector.stop()) })
  reflector.start()
  return reflector
}

function storeOf(options: Partial<StoreOptions<object, 'namespaced'>> = {}) {
  const { environment } = bed()
  return { environment, store: new Store<object, 'namespaced'>({ view: items as never, environment, ...options }) }
}

const failing = async (): Promise<void> => {
  throw new Error('mine')
}
const broken = (): never => {
  throw new Error('broken')
}
const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

describe('callbacks', () => {
  it('X9: reports the rejected promise of a listener, and goes on', async () => {
    const served = await cluster()
    const informer = informerOf(served)
    informer.on('synced', failing)
    informer.start()
    await served.simulation.run(() => informer.whenSynced())
    await served.simulation.advance(1)
    expect(served.simulation.environment.errors.map(({ error, context }) => [error.message, context.phase])).toEqual([
      ['mine', 'listener'],
    ])
  })

  it('X9: so is a listener of a reflector', async () => {
    const { client, simulation } = await cluster()
    const reflector = new Reflector({ client, target, on: { synced: failing as () => void } })
    open.push({ close: () => simulation.run(() => reflector.stop()) })
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'watching')
    await simulation.advance(1)
    expect(simulation.environment.errors.map(({ error }) => error.message)).toEqual(['mine'])
  })

  it('X9: the rejected promises of an index function, a wake and a sync listener end nothing', async () => {
    const { store, environment } = storeOf()
    store.addIndex('late', failing as never)
    store.cursor().wake(failing)
    store.onSynced(failing)
    store.writer().replace().commit('1')
    store.onSynced(failing)
    const writer = store.writer()
    writer.change('ADDED', item('a/x', 1), 1)
    for (let count = 0; count < 5; count++) await Promise.resolve()
    expect(environment.errors.map(({ context }) => context.phase).sort()).toEqual([
      'cursor',
      'index',
      'synced',
      'synced',
    ])
  })

  it('R23: once a listener has closed the informer, the others receive only the end', async () => {
    const served = await cluster()
    const informer = informerOf(served)
    const log: string[] = []
    informer.on('synced', () => void informer.close())
    informer.on('synced', () => log.push('synced'))
    informer.on('closed', () => log.push('closed'))
    informer.start()
    await served.simulation.run(() => informer.whenSynced())
    await served.simulation.advance(10)
    expect(log).toEqual(['closed'])
  })

  it('a listener that another one removes does not receive that event', async () => {
    const served = await cluster()
    const informer = informerOf(served)
    const log: string[] = []
    informer.on('synced', () => off())
    const off = informer.on('synced', () => log.push('synced'))
    informer.start()
    await served.simulation.run(() => informer.whenSynced())
    expect(log).toEqual([])
  })

  it('R23: an index function that closes the store is not called again', () => {
    const { store } = storeOf()
    const writer = store.writer()
    for (const key of ['a/x', 'a/y']) writer.change('ADDED', item(key, 1), 1)
    let calls = 0
    store.addIndex('one', () => {
      calls++
      store.close(new Error('over'))
      return ['one']
    })
    expect(calls).toBe(1)
  })
})

describe('writers that throw', () => {
  it('D8, X9: when the resource is gone, the reflector goes on all the same', async () => {
    const served = await cluster()
    const [first, second] = [new RecordingWriter(), new RecordingWriter()]
    first.clear = broken
    await createDefinition(served)
    const { simulation, writer } = served
    const reflector = new Reflector({ client: served.client, target: thingsTarget })
    for (const writer of [first, second]) reflector.add(writer)
    open.push({ close: () => simulation.run(() => reflector.stop()) })
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'watching')
    await simulation.run(() => writer.delete(definitions, { name: 'things.x.io' }))
    await simulation.runUntil(() => reflector.state === 'missing')
    expect(second.log.at(-1)).toBe('clear')
    await createDefinition(served)
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(simulation.environment.errors.map(({ error }) => error.message)).toContain('broken')
  })

  it.each(['replace', 'put'] as const)('D12: at %s keep the state from no other', async at => {
    const served = await cluster()
    await served.server.fill([configMap('a')])
    const [first, second] = [new RecordingWriter(), new RecordingWriter()]
    const replace = first.replace.bind(first)
    first.replace = at === 'replace' ? broken : options => ({ ...replace(options), put: broken })
    reflectorOf(served, first, second)
    await served.simulation.runUntil(() => second.names.length === 1)
    expect(first.names).toEqual([])
  })
})

describe('odd callbacks', () => {
  it.each([true, false])(
    'R30: an object that is nested very deep keeps no other from its place (freeze: %s)',
    freeze => {
      for (const transform of [undefined, () => ({})]) {
        const { store } = storeOf({ freeze, transform })
        const writer = store.writer()
        for (const reuse of [true, false]) {
          const snapshot = writer.replace({ reuse })
          snapshot.put({ ...item('a/deep', 1), deep: nested(100_000) }, 1)
          snapshot.put(item('a/x', 1), 1)
          snapshot.commit('2')
        }
        expect([store.stats().objects, store.failed()]).toEqual([2, []])
      }
    },
  )

  it('R35: one label may have several indices, and each may be asked for again', () => {
    const { store } = storeOf()
    for (const name of ['app', 'byApp', 'app', 'byApp']) store.addIndex(name, byLabel('app'))
    expect(() => store.addIndex('app', byLabel('tier'))).toThrow('a name that no other function has')
  })

  it('X6: a selector that is null is no selector of everything, and options that are refused leave no cursor', async () => {
    const informer = informerOf(await cluster())
    expect(() => informer.list({ labels: null as never })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
    expect(() => informer.changes({ signal: 5 as never })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
    expect(informer.stats().cursors).toBe(0)
  })
})
