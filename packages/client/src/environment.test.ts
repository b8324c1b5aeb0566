import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { simulate } from '@wherry/testing'
import { recordedEnvironment, Trace } from '@wherry/testing/internal'
import { expect, it, vi } from 'vitest'
import { systemClock } from './clock.ts'
import { type Environment, guarded, systemEnvironment } from './environment.ts'

it('prints nothing: errors and warnings go to diagnostics channels', () => {
  const received: unknown[] = []
  const receive = (message: unknown): void => void received.push(message)
  const write = vi.spyOn(process.stderr, 'write')
  subscribe('wherry:error', receive)
  subscribe('wherry:warning', receive)
  const environment = systemEnvironment()
  const error = new Error('background')
  environment.onError(error, { phase: 'list' })
  environment.onWarning('careful', { resource: 'v1/pods' })
  environment.log('info', 'nothing')
  environment.metrics.count('n')
  environment.metrics.gauge('n', 1)
  environment.metrics.observe('n', 1)
  unsubscribe('wherry:error', receive)
  unsubscribe('wherry:warning', receive)
  expect(received).toEqual([
    { error, context: { phase: 'list' } },
    { message: 'careful', context: { resource: 'v1/pods' } },
  ])
  expect(write).not.toHaveBeenCalled()
  write.mockRestore()
})

it('takes the given parts, and its own for those that are undefined', () => {
  const { clock } = simulate(1)
  const environment = systemEnvironment({ clock, random: undefined } as unknown as Partial<Environment>)
  expect(environment.clock).toBe(clock)
  expect(environment.random()).toBeLessThan(1)
})

it('takes the methods of an object of a class', () => {
  class Reports {
    readonly seen: string[] = []
    onError(error: Error): void {
      this.seen.push(error.message)
    }
  }
  const reports = new Reports()
  systemEnvironment(reports).onError(new Error('one'), { phase: 'p' })
  expect(reports.seen).toEqual(['one'])
})

it('X9: a callback that throws or rejects breaks no caller, and is reported to onError', async () => {
  const environment = recordedEnvironment(simulate(1).clock, () => 0.5, new Trace(false))
  const fail = (): never => {
    throw new Error('mine')
  }
  const safe = guarded({
    ...environment,
    onWarning: fail,
    log: fail,
    metrics: { count: fail, gauge: fail, observe: fail },
  })
  safe.onWarning('w')
  safe.log('info', 'l')
  safe.metrics.count('c')
  safe.metrics.gauge('g', 1)
  safe.metrics.observe('o', 1)
  safe.metrics.forget?.('g')
  expect(safe.random()).toBe(0.5)
  expect(environment.errors.map(({ error, context }) => [error.message, context.phase])).toEqual([
    ['mine', 'onWarning'],
    ['mine', 'log'],
    ['mine', 'metrics'],
    ['mine', 'metrics'],
    ['mine', 'metrics'],
    ['mine', 'metrics'],
  ])
  const late = guarded({ ...environment, log: async () => fail() })
  late.log('info', 'l')
  await Promise.resolve()
  await Promise.resolve()
  expect(environment.errors.at(-1)?.context.phase).toBe('log')
  guarded({ ...environment, onError: async () => fail() }).onError(new Error('x'), { phase: 'p' })
  const deaf = guarded({ ...environment, onError: fail })
  deaf.onError(new Error('x'), { phase: 'p' })
  const odd = guarded({
    ...environment,
    onWarning() {
      throw 'no error'
    },
  })
  odd.onWarning('w')
  expect(environment.errors.at(-1)?.error.message).toBe('onWarning threw')
})

it('has a gauge forgotten, or set to 0 where metrics can not forget', () => {
  const { environment } = simulate(1)
  const reported: unknown[] = []
  const { forget: _, ...plain } = environment.metrics
  const gauge = (...args: unknown[]): void => void reported.push(args)
  guarded({ ...environment, metrics: { ...plain, gauge } }).metrics.forget?.('g', { a: 'b' })
  expect(reported).toEqual([['g', 0, { a: 'b' }]])
  environment.metrics.gauge('g', 1, { a: 'b' })
  guarded(environment).metrics.forget?.('g', { a: 'b' })
  expect(environment.metric('g', { a: 'b' })).toBeUndefined()
})

it('waits longer than a 32-bit timer can', () => {
  vi.useFakeTimers()
  try {
    const fired: string[] = []
    const clock = systemClock()
    clock.timer(3_000_000_000, () => fired.push('late'))
    const cancelled = clock.timer(3_000_000_000, () => fired.push('never'))
    vi.advanceTimersByTime(2_999_999_999)
    expect(fired).toEqual([])
    cancelled.cancel()
    vi.advanceTimersByTime(1)
    expect(fired).toEqual(['late'])
  } finally {
    vi.useRealTimers()
  }
})
