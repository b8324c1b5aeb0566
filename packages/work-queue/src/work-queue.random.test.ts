import { forEachSeed } from '@wherry/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FakeClock } from './fake-clock.fixture.ts'
import { Model } from './model.fixture.ts'
import { WorkQueue } from './work-queue.ts'

/** The queue under test, and what came of its promises. */
class Real {
  readonly clock = new FakeClock()
  readonly queue: WorkQueue
  readonly given = new Map<number, string | undefined>()
  readonly aborts = new Map<number, AbortController>()
  stops = 0
  stopped = 0

  constructor(ageing: Model['ageing']) {
    this.queue = new WorkQueue({ clock: this.clock, ageing })
  }

  take(taker: number): void {
    const abort = new AbortController()
    this.aborts.set(taker, abort)
    this.queue.take({ signal: abort.signal }).then(
      key => this.given.set(taker, key),
      () => {},
    )
  }

  stop(drain: boolean): void {
    this.stops += 1
    this.queue.stop({ drain }).then(() => {
      this.stopped += 1
    })
  }
}

const keys = ['a', 'b', 'c', 'd', 'e', 'f']

/** All that can be seen of both is the same. */
async function compare(model: Model, real: Real): Promise<void> {
  const { queue, clock, given } = real
  for (let i = 0; i < 12; i++) await Promise.resolve()
  expect({
    size: queue.size,
    delayed: queue.delayed,
    state: queue.state,
    running: queue.unfinished().map(({ key, priority }) => [key, priority]),
    priorities: keys.map(key => queue.priorityOf(key)),
    failures: keys.map(key => queue.failures(key)),
    depth: [...queue.depths().values()].reduce((sum, depth) => sum + depth, 0),
    timers: clock.timers,
    given,
    stopped: real.stopped,
  }).toEqual({
    size: model.size,
    delayed: model.delayed,
    state: model.state,
    running: [...model.running],
    priorities: keys.map(key => model.priorityOf(key)),
    failures: keys.map(key => model.failures.get(key) ?? 0),
    depth: model.size,
    timers: model.delayed > 0 ? 1 : 0,
    given: model.given,
    stopped: model.isOver && model.running.size === 0 ? real.stops : 0,
  })
  expect(queue.running).toBe(model.running.size)
}

type Command = fc.AsyncCommand<Model, Real>

/** A command that does the same to both, and then compares them. */
function command(name: string, act: (model: Model, real: Real) => void, check?: (model: Model) => boolean): Command {
  return {
    check: model => check?.(model as Model) ?? true,
    async run(model, real) {
      act(model, real)
      await compare(model, real)
    },
    toString: () => name,
  }
}

const key = fc.constantFrom(...keys)
const priority = fc.constantFrom(-100, -100, 0, 0, 0, 1, 50)
let takers = 0

const add = fc
  .tuple(key, priority, fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })))
  .map(([key, priority, afterMs]) =>
    command(`add ${key} ${priority} ${afterMs}`, (model, { queue }) => {
      model.add(key, priority, afterMs)
      queue.add(key, { priority, afterMs })
    }),
  )
const addPlain = key.map(key =>
  command(`add ${key}`, (model, { queue }) => {
    model.add(key, 0, 0)
    queue.add(key)
  }),
)
const addRateLimited = key.map(key =>
  command(`addRateLimited ${key}`, (model, { queue }) => {
    model.addRateLimited(key)
    queue.addRateLimited(key)
  }),
)
const forget = key.map(key =>
  command(`forget ${key}`, (model, { queue }) => {
    model.failures.delete(key)
    queue.forget(key)
  }),
)
const remove = key.map(key =>
  command(`remove ${key}`, (model, { queue }) => {
    expect(queue.remove(key)).toBe(model.remove(key))
  }),
)
const tryTake = fc.constant(
  command('tryTake', (model, { queue }) => {
    expect(queue.tryTake()).toBe(model.tryTake())
  }),
)
const take = fc.constant(
  command('take', (model, real) => {
    const taker = takers++
    model.take(taker)
    real.take(taker)
  }),
)
const abortTake = fc.nat({ max: 3 }).map(index =>
  command(
    `abort ${index}`,
    (model, real) => {
      const [taker] = model.takers.splice(index % model.takers.length, 1)
      real.aborts.get(taker as number)?.abort()
    },
    model => model.takers.length > 0,
  ),
)
const done = fc.nat({ max: 5 }).map(index =>
  command(
    `done ${index}`,
    (model, { queue }) => {
      const key = [...model.running.keys()][index % model.running.size] as string
      model.done(key)
      queue.done(key)
    },
    model => model.running.size > 0,
  ),
)
const advance = fc.integer({ min: 1, max: 80 }).map(ms =>
  command(`advance ${ms}`, (model, { clock }) => {
    model.advance(ms)
    clock.advance(ms)
  }),
)
const stop = fc.boolean().map(drain =>
  command(`stop ${drain}`, (model, real) => {
    model.stop(drain)
    real.stop(drain)
  }),
)
const rarely = fc.tuple(fc.nat({ max: 14 }), stop, forget).map(([dice, stop, forget]) => (dice === 0 ? stop : forget))

const ageing = fc.record({ afterMs: fc.constantFrom(0, 40, 10_000), every: fc.integer({ min: 1, max: 4 }) })
const commands = fc.commands(
  [
    add,
    add,
    addPlain,
    addPlain,
    addRateLimited,
    remove,
    tryTake,
    tryTake,
    take,
    abortTake,
    done,
    done,
    advance,
    rarely,
  ],
  { maxCommands: 80, size: '+2' },
)

it('C1: behaves as the plain model, whatever is done to it in whatever order', async () => {
  await forEachSeed(
    seed =>
      fc.assert(
        fc.asyncProperty(ageing, commands, (ageing, commands) =>
          fc.asyncModelRun(() => ({ model: new Model(ageing), real: new Real(ageing) }), commands),
        ),
        { seed, numRuns: 20 },
      ),
    { seeds: 30 },
  )
})
