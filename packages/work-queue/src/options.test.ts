import { expect, it } from 'vitest'
import { FakeClock } from './fake-clock.fixture.ts'
import { BucketRateLimiter } from './limiters/bucket.ts'
import { ExponentialRateLimiter } from './limiters/exponential.ts'
import { MaxOfRateLimiter } from './limiters/max-of.ts'
import { WorkQueue } from './work-queue.ts'

type Wrong = Record<string, readonly unknown[]>

/** Each value in turn as that option: a coded TypeError or RangeError that names the option and says what it takes. */
function expectRefused(wrong: Wrong, of: string, use: (options: Record<string, unknown>) => unknown): void {
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const what = `${of}.${name} ${String(value)}`
      const error = thrownBy(() => use({ [name]: value }), what)
      expect(error, what).toMatchObject({ code: 'INVALID_OPTION', option: `${of}.${name}`, takes: expect.any(String) })
      const isNumber = typeof value === 'number' && !['x', 'clock'].includes(name)
      expect([error.name, error instanceof (isNumber ? RangeError : TypeError)], what).toEqual([
        isNumber ? 'OptionRangeError' : 'OptionTypeError',
        true,
      ])
    }
  }
}

function thrownBy(fn: () => unknown, what: string): Error {
  try {
    fn()
  } catch (error) {
    return error as Error
  }
  throw new Error(`${what} was taken`)
}

const noNumber = ['1', null, true, {}]
const noMilliseconds = [...noNumber, -1, Number.NaN, Number.POSITIVE_INFINITY]

it('X6: refuses options of the queue that it does not take', () => {
  const create = (options: object): unknown => new WorkQueue(options)
  const wrong: Wrong = {
    clock: [null, {}, { monotonic() {} }, { timer() {} }, 'clock'],
    rateLimiter: [null, {}, { when() {}, forget() {} }, () => 5],
    ageing: [null, false],
    observer: [null, 'observer'],
    onError: [null, 'log'],
    x: [1, undefined],
  }
  expectRefused(wrong, 'WorkQueue', create)
  const ageing: Wrong = {
    afterMs: [...noNumber, -1, Number.NaN],
    every: [...noNumber, 0, 1.5, Number.NaN, Number.POSITIVE_INFINITY],
    x: [1],
  }
  expectRefused(ageing, 'WorkQueue.ageing', options => create({ ageing: options }))
  const observer: Wrong = { added: [1 > 0, null], retried: ['a'], taken: [{}], done: [null] }
  expectRefused(observer, 'WorkQueue.observer', options => create({ observer: options }))
  expect(() => create('a' as unknown as object)).toThrow('WorkQueue takes an object of options, got a string')
})

it('X6: takes the bounds of its options', () => {
  new WorkQueue({ ageing: { afterMs: 0, every: 1 } })
  new WorkQueue({
    ageing: { afterMs: Number.POSITIVE_INFINITY, every: undefined },
    clock: undefined,
    observer: undefined,
  })
  new ExponentialRateLimiter({ baseMs: 1, maxMs: 1 })
  new BucketRateLimiter({ perSecond: 0.001, burst: 1 })
})

it('X6: refuses options of add, addRateLimited, take and stop, and does nothing then', async () => {
  const clock = new FakeClock()
  const queue = new WorkQueue({ clock })
  const priority = [...noNumber, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  expectRefused({ priority, afterMs: noMilliseconds, x: [1] }, 'add', options => queue.add('a', options))
  expectRefused({ priority, afterMs: ['a'], x: [1] }, 'addRateLimited', options => queue.addRateLimited('a', options))
  expect(() => queue.add('a', null as unknown as object)).toThrow('add takes an object of options, got null')
  expect([queue.size, queue.delayed, queue.failures('a'), clock.timers]).toEqual([0, 0, 0, 0])
  queue.add('a')
  const signals = [null, {}, new EventTarget(), 'abort']
  for (const signal of signals as AbortSignal[]) {
    const refusal = { code: 'INVALID_OPTION', name: 'OptionTypeError' }
    await expect(queue.take({ signal })).rejects.toMatchObject({ ...refusal, option: 'take.signal' })
    await expect(queue.stop({ signal })).rejects.toMatchObject({ ...refusal, option: 'stop.signal' })
  }
  for (const drain of [null, 1, 'yes'] as unknown as boolean[]) {
    await expect(queue.stop({ drain })).rejects.toMatchObject({ option: 'stop.drain', takes: 'true or false' })
  }
  await expect(queue.take({ x: 1 } as object)).rejects.toMatchObject({ option: 'take.x' })
  await expect(queue.stop({ x: 1 } as object)).rejects.toMatchObject({ option: 'stop.x' })
  expect([queue.state, queue.size, queue.running]).toEqual(['open', 1, 0])
})

it('X6: refuses options of limiters that they do not take', () => {
  const noRate = [...noNumber, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]
  expectRefused(
    { baseMs: noRate, maxMs: noRate, x: [1] },
    'ExponentialRateLimiter',
    options => new ExponentialRateLimiter(options),
  )
  expect(() => new ExponentialRateLimiter({ baseMs: 10, maxMs: 9 })).toThrow(
    'ExponentialRateLimiter.maxMs takes baseMs (10) or more, got 9',
  )
  expectRefused(
    { perSecond: noRate, burst: [...noRate, 1.5], x: [1] },
    'BucketRateLimiter',
    options => new BucketRateLimiter(options),
  )
  expect(() => new MaxOfRateLimiter()).toThrow('MaxOfRateLimiter takes one limiter or more, got none')
  for (const limiter of [undefined, null, {}, 5] as unknown as ExponentialRateLimiter[]) {
    expect(() => new MaxOfRateLimiter(new ExponentialRateLimiter(), limiter)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', option: 'MaxOfRateLimiter[1]' }),
    )
  }
})

it('X6: says what an option takes', () => {
  const queue = new WorkQueue({ clock: new FakeClock() })
  const said = (fn: () => unknown): string => thrownBy(fn, 'it').message
  expect([
    said(() => queue.add('a', { afterMs: -1 })),
    said(() => queue.add('a', { priority: '1' as unknown as number })),
    said(() => queue.add('a', { after: 5 } as object)),
    said(() => new WorkQueue({ ageing: { every: 0 } })),
    said(() => new WorkQueue({ ageing: { afterMs: -1 } })),
    said(() => new WorkQueue({ clock: {} as FakeClock })),
    said(() => new WorkQueue({ observer: 5 as unknown as object })),
    said(() => new WorkQueue({ onError: {} as () => void })),
  ]).toEqual([
    'add.afterMs takes a finite number, 0 or more, got -1',
    'add.priority takes a finite number, got a string',
    'add.after is an unknown option; valid options are priority, afterMs',
    'WorkQueue.ageing.every takes a whole number, 1 or more, got 0',
    'WorkQueue.ageing.afterMs takes a number, 0 or more, or Infinity, got -1',
    'WorkQueue.clock takes an object with monotonic, timer, got an object',
    'WorkQueue.observer takes an object, got a number',
    'WorkQueue.onError takes a function, got an object',
  ])
})

it('refuses undefined and null as keys', () => {
  const queue = new WorkQueue({ clock: new FakeClock() })
  for (const key of [undefined, null] as unknown as string[]) {
    const refusal = expect.objectContaining({ name: 'InvalidKeyError', code: 'INVALID_KEY' })
    expect(() => queue.add(key)).toThrow(refusal)
    expect(() => queue.addRateLimited(key)).toThrow(refusal)
    expect(() => queue.add(key)).toThrow(TypeError)
  }
  expect([queue.size, queue.delayed]).toEqual([0, 0])
})
