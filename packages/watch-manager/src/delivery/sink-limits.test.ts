import { systemEnvironment } from '@wherry/client/internal'
import { expect, it } from 'vitest'
import type { FairScheduler, Worker } from './fair-scheduler.ts'
import { RetryKeys } from './retry-keys.ts'
import { Call, CallContext, Running } from './running.ts'
import { SinkLimits } from './sink-limits.ts'

function limitsOf(concurrency: number, maxRetrying = 2) {
  const given: Worker[] = []
  const scheduler = { add: (worker: Worker) => void given.push(worker) } as unknown as FairScheduler
  const timers: (() => void)[] = []
  const clock = {
    ...systemEnvironment().clock,
    timer: (_ms: number, fn: () => void) => {
      timers.push(fn)
      return { cancel() {} }
    },
  }
  const shared = { environment: systemEnvironment({ clock, random: () => 0.5 }), scheduler, context: new CallContext() }
  const options = { maxRetrying, retryInitialMs: 100, retryMaxMs: 1000 }
  const limits = new SinkLimits('one', { concurrency, event: () => {} }, shared, options)
  return { limits, given, timers }
}

const worker = (): Worker => ({ queued: false, step: () => false })

it('W12: retries and calls that may become retries are bounded together', () => {
  const { limits } = limitsOf(5)
  expect([limits.open, limits.openToFresh]).toEqual([true, true])
  Object.assign(limits, { retrying: 1, fresh: 1, running: 1 })
  expect([limits.open, limits.openToFresh]).toEqual([true, false])
  Object.assign(limits, { retrying: 1, fresh: 0, running: 5 })
  expect([limits.open, limits.openToFresh]).toEqual([false, false])
})

it('X8: each failure doubles the wait, up to a bound', () => {
  const { limits } = limitsOf(1)
  expect([1, 2, 3, 4, 5, 50].map(failures => limits.backoff(failures))).toEqual([150, 300, 600, 1200, 1500, 1500])
})

it('W12: deliveries that wait for room get turns in the order of their coming, one at a time, and none after they stop to wait', () => {
  const { limits, given } = limitsOf(1)
  const [a, b, c, d, e] = [worker(), worker(), worker(), worker(), worker()]
  limits.wait(a, false)
  limits.wait(a, false)
  limits.wait(b, false)
  limits.wait(c, true)
  limits.wait(d, true)
  limits.wait(e, true)
  limits.forget(b)
  limits.forget(d)
  limits.running = 1
  limits.passOn()
  expect(given).toEqual([])
  limits.running = 0
  limits.passOn()
  expect(given).toEqual([a])
  limits.retrying = 2
  limits.passOn()
  expect(given).toEqual([a])
  limits.retrying = 0
  limits.passOn()
  limits.passOn()
  limits.passOn()
  expect(given).toEqual([a, c, e])
})

it('W12: held keys count as retrying while they fail, and no longer', () => {
  const { limits, timers } = limitsOf(1)
  let readied = 0
  const keys = new RetryKeys(limits, () => readied++)
  const event = { type: 'changed', view: {} as never, key: 'a', object: 1 } as const
  const [a, b] = [keys.open('a'), keys.open('b')]
  keys.succeeded(b)
  expect([limits.retrying, keys.size]).toEqual([0, 1])
  keys.failed(a, event)
  keys.failed(a, event)
  expect([limits.retrying, keys.retrying()]).toEqual([1, ['a']])
  expect(keys.peek(true)).toBeUndefined()
  timers[0]?.()
  expect(readied).toBe(1)
  expect(keys.peek(false)).toBeUndefined()
  expect(keys.peek(true)).toBe(a)
  const c = keys.open('c')
  c.put({ ...event, key: 'c' }, 0)
  keys.succeeded(c)
  expect(keys.peek(true)).toBe(c)
  keys.shift(c)
  expect(keys.peek(true)).toBe(a)
  keys.shift(a)
  keys.clear()
  expect([limits.retrying, keys.size, keys.peek(true)]).toEqual([0, 0, undefined])
  const d = keys.open('d')
  keys.failed(d, { ...event, key: 'd' })
  keys.open('e')
  timers.at(-1)?.()
  keys.clear()
  expect([limits.retrying, keys.peek(true)]).toEqual([0, undefined])
})

it('R23: code that is called from within a call is known to be so, through other calls too', async () => {
  const context = new CallContext()
  const running = new Running()
  const outer = new Call()
  expect([outer.what, outer.outer, context.current]).toEqual(['', undefined, undefined])
  const inner = new Call(outer)
  running.begin(outer, 'outer')
  running.begin(inner, 'inner')
  expect(running.size).toBe(2)
  context.within(outer, () => expect(running.callsOutside(context.current)).toEqual(['inner']))
  context.within(inner, () => expect(running.callsOutside(context.current)).toEqual([]))
  context.within(inner, () => context.outside(() => expect(context.current).toBeUndefined()))
  const log: string[] = []
  void running.idle(outer).then(() => log.push('inner is over'))
  void running.idle().then(() => log.push('all are over'))
  running.end(inner)
  await Promise.resolve()
  expect(log).toEqual(['inner is over'])
  running.end(outer)
  await running.idle()
  expect(log).toEqual(['inner is over', 'all are over'])
})
