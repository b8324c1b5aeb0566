import { ConnectionError, isForbidden, type View } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { TransformError } from '@wherry/informer'
import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { NarrowCache } from './narrow-cache.ts'
import { Denials, denying } from './testkit/denials.ts'
import { History, unselected } from './testkit/history.ts'
import { type Kit, keyOf, withNarrow } from './testkit/kit.ts'
import { type Partly, Received, stateOf, strict } from './testkit/received.ts'

const paths = ['a/p', 'a/q', 'a/r', 'a/s', 'a/t', 'a/u', 'b/p', 'b/q']
const whole = configMaps
const size = configMaps.project('size', ({ metadata, data }) => ({ metadata, keys: Object.keys(data ?? {}).length }))
const views = [
  whole,
  configMaps.metadata(),
  size,
  configMaps.within({ namespaces: ['a', 'b'] }),
  strict,
] as unknown as readonly View<ConfigMap, 'namespaced'>[]
const selected = views.map(view => view.within({ labels: { on: 'yes' } }))

class Aborted extends Error {}

/** A present state in a watch that has not failed lately is no older than this, in milliseconds. */
const lagMs = 100

describe('a narrow cache, whatever happens', () => {
  it('N1–N9, N11, N14: reads are true and never go back, subscribers end as the server is, and no more is open than needed', async () => {
    // a changed copy (npm run mutants) has seconds for all tests
    const seeds = 110
    await forEachSeed(
      async seed => {
        const bounds = {
          max: [4, 100][seed % 2] as number,
          escalateAt: [3, 100, 2][seed % 3] as number,
          escalateAllAt: [100, 3, 5][(seed >> 2) % 3] as number,
          isRefused: seed % 5 === 0 && seed % 6 !== 1,
          isSelected: seed % 4 === 3,
          isListed: seed % 11 < 4,
          denials: seed % 6 === 1 ? new Denials() : undefined,
          views: [1, 5, 2][(seed >> 1) % 3] as number,
        }
        const { isRefused, isSelected, isListed, denials, views: _, ...options } = bounds
        await withNarrow(kit => run(kit, bounds), {
          ...options,
          seed,
          idleMs: [2000, 100_000][(seed >> 1) % 2],
          maxOpening: (seed % 4) + 1,
          cluster: {
            ...(isRefused ? denying(({ namespace }) => namespace === '') : {}),
            ...(denials === undefined ? {} : denying(request => denials.current(request))),
            protocol: seed % 9 === 5 ? 'http/1.1' : 'h2',
          },
        })
      },
      { seeds },
    )
  }, 1_200_000)
})

interface Bounds {
  readonly max: number
  readonly escalateAt: number
  readonly escalateAllAt: number
  /** All namespaces at once may not be watched. */
  readonly isRefused: boolean
  /** All views select by a label, which comes and goes. */
  readonly isSelected: boolean
  /** The server can't stream lists: a list, then a watch. */
  readonly isListed: boolean
  /** The denied requests, which change. */
  readonly denials: Denials | undefined
  /** How many views of the objects there are. */
  readonly views: number
}

/** How many of the `pinned` paths of a view have watches of their own; escalated ones must be as the bounds say, with the hysteresis. */
function onTheirOwn(view: string, pinned: readonly string[], bounds: Bounds, kit: Kit): number {
  const { escalateAt, escalateAllAt, isRefused, max } = bounds
  // A view that went past max shares a watch, whatever its own bounds are, until there is room.
  const isPastMax = kit.narrow.report().entries > max
  const escalated = kit.narrow.report().escalated.filter(one => one.view === view)
  const reported = JSON.stringify({ escalated, pinned })
  const all = escalated.filter(({ namespace }) => namespace === undefined)
  const namespaces = ['a', 'b'].map(namespace => ({
    namespace,
    size: pinned.filter(path => path.startsWith(`${namespace}/`)).length,
    isWide: escalated.some(one => one.namespace === namespace),
  }))
  for (const { phase } of escalated) expect(phase, reported).toBe('escalated')
  if (all.length > 0) {
    expect(escalated, reported).toHaveLength(1)
    expect(isRefused, reported).toBe(false)
    expect(pinned.length, reported).toBeGreaterThanOrEqual(isPastMax ? 1 : escalateAllAt / 2)
    return 0
  }
  for (const { size, isWide } of namespaces) {
    if (size > escalateAt) expect(isWide, reported).toBe(true)
    if (isWide && size < escalateAt / 2 && !isPastMax)
      expect(pinned.length, reported).toBeGreaterThanOrEqual(escalateAllAt / 2)
    // All but those that one watch of all would be no gain for.
    if (pinned.length > escalateAllAt && (isRefused ? size > 1 : size > 0)) expect(isWide, reported).toBe(true)
  }
  if (pinned.length > escalateAllAt && !isRefused)
    expect(
      namespaces.filter(({ size }) => size > 0),
      reported,
    ).toHaveLength(1)
  return namespaces.reduce((sum, { size, isWide }) => sum + (isWide ? 0 : size), 0)
}

async function run(kit: Kit, bounds: Bounds): Promise<void> {
  const { narrow, simulation, server, transport, writer } = kit
  const random = simulation.random.fork('test')
  const { clock } = simulation
  if (bounds.isListed) {
    const effect = { kind: 'status', code: 422, reason: 'Invalid' } as const
    await simulation.run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect }))
  }
  const history = new History()
  const ofViews = (bounds.isSelected ? selected : views).slice(0, bounds.views)
  const there = new Map<string, 'plain' | 'finalized' | 'terminating'>()
  const second = new NarrowCache({ client: kit.client, idleMs: 2000 })
  const own = writer.withWriteListeners(narrow, second)
  const seen = new Map([narrow, second].map(cache => [cache, new Map<string, number>()]))
  const received: Received[] = []
  const left: Received[] = []
  const reads: Promise<unknown>[] = []
  let faultyUntil = 0
  let reported = 0
  const refusals = bounds.denials === undefined ? [] : ['NARROW_WATCH_REFUSED', 'NARROW_TIMEOUT']

  const failures = (): number =>
    simulation.environment.errors.filter(({ context }) => context.phase !== 'transform').length
  const pending = (one: Promise<unknown>): void => {
    // It is looked at when the round is over, unless something else has failed by then.
    one.catch(() => {})
    reads.push(one)
  }
  const saw = (cache: NarrowCache, path: string, view: View, index: number): void =>
    void seen.get(cache)?.set(`${path} ${view.key}`, Math.max(floorOf(cache, path, view), index))
  const floorOf = (cache: NarrowCache, path: string, view: View): number =>
    seen.get(cache)?.get(`${path} ${view.key}`) ?? 0
  const write = async (path: string, isOwn: boolean): Promise<void> => {
    const key = keyOf(path)
    const data = { n: `${integer(random, 0, 99_999)}` }
    const labels = { on: chance(random, 0.7) ? 'yes' : 'no' }
    const seenAs = ({ metadata, data: made }: ConfigMap): string => {
      if (bounds.isSelected && metadata?.labels?.on !== 'yes') return unselected
      const state = stateOf({ metadata })
      if (Number(made?.n) % 2 === 1) history.odd.add(state)
      return state
    }
    const caller = isOwn ? own : writer
    const index = await history.write(
      path,
      () => clock.now(),
      async () => {
        const was = there.get(path)
        if (was === undefined && isOwn && chance(random, 0.1)) {
          await caller.delete(whole, key)
          return 'absent'
        }
        if (was === undefined) {
          const finalizers = chance(random, 0.2) ? ['wherry.test/hold'] : []
          there.set(path, finalizers.length === 0 ? 'plain' : 'finalized')
          return seenAs(await caller.create(whole, { metadata: { ...key, labels, finalizers }, data }))
        }
        if (chance(random, 0.3)) {
          if (was === 'finalized') {
            there.set(path, 'terminating')
            return seenAs((await caller.delete(whole, key))?.object as ConfigMap)
          }
          there.delete(path)
          if (was === 'plain') await caller.delete(whole, key)
          else await caller.patch(whole, key, { metadata: { finalizers: null } })
          return 'absent'
        }
        return seenAs(await caller.patch(whole, key, { data, metadata: { labels } }))
      },
    )
    if (isOwn) for (const cache of [narrow, second]) for (const view of ofViews) saw(cache, path, view, index)
  }
  const read = async (path: string): Promise<void> => {
    const view = choose(random, ofViews)
    const cache = chance(random, 0.25) ? second : narrow
    const isFresh = chance(random, 0.1) && cache.forget(view, keyOf(path))
    const [floor, called] = [floorOf(cache, path, view), clock.now()]
    const abort = new AbortController()
    const isAborted = chance(random, 0.1)
    if (isAborted) clock.timer(integer(random, 0, 5), () => abort.abort(new Aborted()))
    // A connection that was to break after some bytes may do so long after the faults were ended.
    const before = failures()
    if (before > reported) faultyUntil = called + 100_000
    reported = before
    const isCalm = called > faultyUntil
    const isStrict = view.projection.name === strict.projection.name
    let state: string
    try {
      const options = isAborted ? { signal: abort.signal } : {}
      state = stateOf((await cache.get(view, keyOf(path), options)) as Partly | undefined, view)
    } catch (error) {
      if (error instanceof Aborted) return
      if (isStrict && error instanceof TransformError) state = 'failed'
      else if (isForbidden(error) && bounds.denials !== undefined) return
      // What has to ask the server may not reach it.
      else if (clock.now() > faultyUntil || !(error instanceof ConnectionError)) throw error
      else return
    }
    const answered = clock.now()
    await history.settled(path)
    const find = (since: number): number | undefined => {
      let index = history.find(path, state, floor, isStrict)
      while (index !== undefined && !history.wasWithin(path, index, since, answered)) {
        index = history.find(path, state, index + 1, isStrict)
      }
      return index
    }
    let index = find(isFresh ? called : isCalm ? called - lagMs : 0)
    if (index === undefined && isCalm && !isFresh) {
      // What has just broken off is reported within a second.
      await new Promise<void>(resolve => clock.timer(1100, resolve))
      if (failures() > before) index = find(0)
    }
    const what = `${path} read as ${state} at ${called}–${answered}, from ${floor}${isFresh ? ', afresh' : ''}${isCalm ? ', calm' : ''}`
    expect(index, `${what}: ${JSON.stringify(history.of(path).slice(-6))}`).toBeDefined()
    saw(cache, path, view, index as number)
  }
  const calls = simulation.random.fork('calls')
  /** A handler calls back. */
  const after = (one: Received, state: string): void => {
    for (const view of ofViews) {
      if (one.isStrict || view.key !== one.view.key) continue
      const known = narrow.peek(view, keyOf(one.path))
      // An object may be there again when its deletion is reported.
      if (known !== undefined && state !== 'absent' && stateOf(known.object as Partly, view) !== state)
        one.faults.push(`received ${state}, and peek of ${view.key} is ${stateOf(known.object as Partly, view)}`)
    }
    const die = calls()
    if (die < 0.2) pending(read(one.path))
    else if (die < 0.3) pending(read(choose(calls, paths)))
    else if (die < 0.5) for (const path of paths) narrow.forget(choose(calls, ofViews), keyOf(path))
    else if (die < 0.6) {
      const other = choose(calls, [...received, one])
      if (other === one && !received.includes(one)) return
      received.splice(received.indexOf(other), 1)
      pending(other.subscription.then(subscription => subscription.close()))
      void other.subscription.then(() => {
        other.isOver = true
        left.push(other)
      })
    } else if (die < 0.65) subscribe(calls, choose(calls, paths))
  }
  const subscribe = (chances: () => number, path: string): void => {
    const view = choose(chances, ofViews) as View<ConfigMap, 'namespaced'>
    const one = new Received(kit, view, path, floorOf(narrow, path, view), after)
    pending(
      one.subscription.then(
        () => received.push(one),
        error => expect(refusals).toContain(error.code),
      ),
    )
  }
  const trouble = async (): Promise<void> => {
    faultyUntil = clock.now() + 100_000
    const { controls } = transport
    const kind = integer(random, bounds.denials === undefined ? 0 : -2, 5)
    bounds.denials?.change(random)
    if (kind < 0) return
    if (kind === 0) await server.endWatches('configmaps')
    else if (kind === 1) await server.expireWatchCaches()
    else if (kind === 2) await server.compact()
    else if (kind === 3) controls.goawayAll()
    else if (kind === 4) controls.setFaults({ kill: 0.2, goaway: 0.1, refuse: 0.1 })
    else kit.breakAll()
  }

  for (let round = 0; round < 2; round++) {
    await simulation.run(async () => {
      for (let i = integer(random, 10, 25); i > 0; i--) {
        const path = choose(random, paths)
        const die = random()
        if (die < 0.35) {
          await write(path, chance(random, 0.5))
          if (chance(random, 0.3)) pending(read(path))
        } else if (die < 0.7) pending(read(path))
        else if (die < 0.8) subscribe(random, path)
        else if (die < 0.87 && received.length > 0) {
          const [one] = received.splice(integer(random, 0, received.length - 1), 1)
          await (await one?.subscription)?.close()
          if (one !== undefined) {
            one.isOver = true
            left.push(one)
          }
        } else if (die < 0.92) await trouble()
        await simulation.advance(chance(random, 0.2) ? integer(random, 0, 3000) : integer(random, 0, 5))
      }
    })
    transport.controls.setFaults({})
    await simulation.run(() => Promise.all(reads.splice(0)))
    if (bounds.denials !== undefined) {
      bounds.denials.current = () => false
      await simulation.advance(400_000)
    }
    await simulation.advance(250_000)
    for (const one of [...received, ...left]) one.check(history)
    for (const { path, state, isStrict } of received) {
      const last = history.of(path).length - 1
      expect(history.shows(path, last, `${state}`, isStrict), `${path} is ${state}`).toBe(true)
    }
    const pinned = ofViews.map(
      view => [view.key, [...new Set(received.filter(one => one.view === view).map(({ path }) => path))]] as const,
    )
    const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0)
    const { entries, idle, streams, waiting, escalated } = narrow.report()
    expect({ entries, idle, waiting }).toEqual({
      entries: sum(pinned.map(([, paths]) => paths.length)),
      idle: 0,
      waiting: 0,
    })
    const alone = sum(pinned.map(([view, paths]) => onTheirOwn(view, paths, bounds, kit)))
    expect(streams, JSON.stringify(escalated)).toBe(alone + escalated.length)
    expect(second.report()).toMatchObject({ entries: 0, streams: 0 })
    // One may be opened again in this very moment.
    if ((await kit.watches()) !== streams) await simulation.advance(1000)
    expect(await kit.watches()).toBe(streams)
    await simulation.run(() => Promise.all(paths.map(read)))
    while (reads.length > 0) await simulation.run(() => Promise.all(reads.splice(0)))
  }
  await simulation.run(() => Promise.all([narrow.close(), second.close()]))
  for (const one of received) one.isOver = true
  expect(await kit.watches()).toBe(0)
}
