import { type Clock, defineResource, type KubernetesObject, type View } from '@wherry/client'
import { chance, choose, forEachSeed, integer, type Random, shuffle } from '@wherry/testing'
import { expect, it } from 'vitest'
import type { Registrar } from './registrar.ts'
import type { Sink, SinkEvent } from './sink.ts'
import { RecordingSink } from './testing/recording-sink.ts'
import { apples, pears, setUp } from './testkit/set-up.ts'

const figs = defineResource<KubernetesObject>({
  group: 'test.example.com',
  version: 'v1',
  kind: 'Fig',
  plural: 'figs',
  namespaced: false,
})
const views: readonly View<KubernetesObject>[] = [
  apples,
  pears,
  figs,
  apples.within({ labels: { colour: 'red' } }),
  apples.within({ namespaces: ['a'] }),
  pears.within({ namespaces: ['a', 'b'], labels: { colour: 'red' } }),
]
const names = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8']

/** How a sink takes its events. */
type Manner = 'quick' | 'slow' | 'throwing' | 'stalling' | 'dead'

/** One registrar after the other, of one name. */
interface Life {
  readonly name: string
  registrar: Registrar<KubernetesObject>
  recorder: RecordingSink
  manner: Manner
  /** As the test wants it: views by key. */
  wanted: Map<string, View<KubernetesObject>>
}

it('W7: whatever registrars, sinks and the cluster do, each sink ends with the objects of the cluster, and only wanted views are watched', async () => {
  await forEachSeed(run, { seeds: 600 })
}, 900_000)

async function run(seed: number): Promise<void> {
  const random = setUp({ seed }).simulation.random.fork('test')
  const { simulation, cache, manager } = setUp({
    seed,
    listMs: integer(random, 0, 100),
    maxTombstones: choose(random, [0, 2, 20, 1000]),
    closeTimeoutMs: 1000,
    metricsMs: 60_000,
    start: chance(random, 0.8),
  })
  const { clock, environment } = simulation
  /** Sinks stall until they are woken. */
  const stalled: (() => void)[] = []
  const recorders: RecordingSink[] = []
  const unknown = new Error('no such resource')
  let calm = false

  const born = (name: string): Life => {
    const manner = choose<Manner>(random, ['quick', 'quick', 'slow', 'throwing', 'stalling', 'dead'])
    const answer = (event: SinkEvent): unknown => answerOf(calm ? 'slow' : manner, event, random, clock, stalled)
    const dead = (): unknown => new Promise(() => {})
    const recorder = new RecordingSink({
      concurrency: integer(random, 1, 4),
      answer: manner === 'dead' ? dead : answer,
      events: false,
    })
    recorders.push(recorder)
    const options = { maxRetrying: integer(random, 1, 5), retryMaxMs: 2000 }
    const registrar = manager.registrar<KubernetesObject>(
      name,
      chance(random, 0.5) ? recorder : unmoved(recorder),
      options,
    )
    return { name, registrar, recorder, manner, wanted: new Map() }
  }

  const change = (): void => {
    const view = choose(random, [apples, pears, figs])
    const name = choose(random, names)
    const namespace = choose(random, ['a', 'b'])
    const labels: Record<string, string> = chance(random, 0.5) ? { colour: 'red' } : {}
    if (chance(random, 0.35)) cache.delete(view, name, namespace)
    else cache.put(view, name, { namespace, labels })
  }

  const disturb = (): void => {
    const view = choose(random, views)
    if (chance(random, 0.4)) {
      cache.informer(view)?.disconnect()
    } else if (chance(random, 0.6)) {
      cache.informer(view)?.list()
    } else if (chance(random, 0.5)) {
      // The resource goes, with all its objects.
      cache.refuse(figs, unknown)
      for (const name of names) cache.delete(figs, name)
      cache.informer(figs)?.vanish(unknown)
    } else {
      cache.allow(figs)
    }
  }

  const act = async (life: Life): Promise<void> => {
    const { registrar, wanted } = life
    const view = choose(random, views)
    const what = integer(random, 0, 9)
    if (what < 4) {
      wanted.set(view.key, view)
      await registrar.add(view)
    } else if (what < 6) {
      wanted.delete(view.key)
      await registrar.remove(view)
    } else if (what < 8) {
      const target = shuffle(random, [...views]).slice(0, integer(random, 0, 3))
      life.wanted = new Map(target.map(each => [each.key, each]))
      await registrar.replace(target)
    } else if (what < 9) {
      const target = shuffle(random, [...views]).slice(0, integer(random, 0, 3))
      const replaced = registrar.replace(target, { onFailure: 'rollback' }).then(
        () => true,
        () => false,
      )
      // Views that are added and removed meanwhile count; here there are none.
      const before = life.wanted
      if (await replaced) life.wanted = new Map(target.map(each => [each.key, each]))
      else life.wanted = before
    } else {
      await registrar.close()
      Object.assign(life, born(life.name))
    }
  }

  await simulation.run(async () => {
    const lives = Array.from({ length: integer(random, 10, chance(random, 0.1) ? 50 : 15) }, (_, i) => born(`r${i}`))
    // Each registrar's owner does one thing after the other.
    const owners = new Map(lives.map(life => [life, Promise.resolve()]))
    for (let i = 0; i < 60; i++) {
      const life = choose(random, lives)
      if (i === 30 && manager.state === 'idle') manager.start()
      if (chance(random, 0.5)) change()
      else if (chance(random, 0.15)) disturb()
      else
        owners.set(
          life,
          (owners.get(life) as Promise<void>).then(() => act(life)),
        )
      if (chance(random, 0.1)) stalled.splice(0).map(wake => wake())
      if (chance(random, 0.3)) await wait(clock, integer(random, 0, 200))
    }
    calm = true
    for (let round = 0; round < 4; round++) {
      stalled.splice(0).map(wake => wake())
      for (const view of views) if (cache.informer(view) !== undefined || view === figs) cache.allow(view)
      await wait(clock, 5000)
    }
    await Promise.all(owners.values())
    await wait(clock, 20_000)

    for (const { name, registrar, recorder, manner, wanted } of lives) {
      expect(keys(registrar.intended), name).toEqual([...wanted.keys()].sort())
      expect(keys(registrar.watched), name).toEqual([...wanted.keys()].sort())
      const { lag, running } = registrar.stats()
      if (manner === 'dead') {
        expect(running).toBeLessThanOrEqual(recorder.concurrency)
        continue
      }
      expect({ name, lag, running }).toEqual({ name, lag: 0, running: 0 })
      for (const view of wanted.values()) {
        expect(recorder.replaying(view)).toBe(false)
        expect(versions(recorder.contents(view)), `${name} ${manner} ${view.key}`).toEqual(cache.contents(view))
      }
    }
    expect(recorders.flatMap(({ problems }) => problems)).toEqual([])
    const intended = new Set(lives.flatMap(({ wanted }) => [...wanted.keys()]))
    expect(cache.open).toEqual([...intended].sort())
    expect(keys(manager.intended)).toEqual(cache.open)
    expect(keys(manager.watched)).toEqual(cache.open)
    for (const view of views) {
      const holders = lives.filter(({ wanted }) => wanted.has(view.key)).map(({ name }) => name)
      expect(cache.holders(view)).toEqual(holders.sort())
      expect(cache.informer(view)?.store.stats().cursors ?? 0).toBe(holders.length)
    }
    await manager.close()
    expect(cache.open).toEqual([])
  })
  const unexpected = environment.errors.filter(
    ({ error }) => error.message !== 'refused' && error.name !== 'SinkStillRunningError',
  )
  expect(unexpected).toEqual([])
  expect(simulation.pending()).toEqual([])
}

function answerOf(manner: Manner, event: SinkEvent, random: Random, clock: Clock, stalled: (() => void)[]): unknown {
  const refuse = (): never => {
    throw new Error('refused')
  }
  switch (manner) {
    case 'slow':
      return chance(random, 0.3) ? undefined : wait(clock, integer(random, 0, 100))
    case 'throwing':
      if (chance(random, 0.6)) return undefined
      return chance(random, 0.5) ? refuse() : wait(clock, integer(random, 0, 50)).then(refuse)
    case 'stalling':
      return chance(random, 0.5) ? undefined : new Promise<void>(resolve => stalled.push(resolve))
    default:
      return event.type === 'synced' ? Promise.resolve() : undefined
  }
}

/** The same sink, that knows of no moves. */
function unmoved(recorder: RecordingSink): Sink<KubernetesObject> {
  return {
    concurrency: recorder.concurrency,
    event: event => recorder.event(event),
    removed: view => recorder.removed(view),
    closed: () => recorder.closed(),
  }
}

function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => void clock.timer(ms, resolve))
}

function keys(of: readonly View[]): string[] {
  return of.map(({ key }) => key).sort()
}

function versions(contents: ReadonlyMap<string, unknown>): Record<string, string | undefined> {
  const all = [...contents].map(([key, object]) => [key, (object as KubernetesObject).metadata?.resourceVersion])
  return Object.fromEntries(all)
}
