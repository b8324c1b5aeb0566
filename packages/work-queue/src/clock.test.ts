import { expect, it, vi } from 'vitest'
import { systemClock } from './clock.ts'
import { WorkQueue } from './work-queue.ts'

it('works on the clock of this machine when none is given', async () => {
  await using queue = new WorkQueue()
  const before = performance.now()
  queue.add('a', { afterMs: 20 })
  expect(await queue.take()).toBe('a')
  // A key is never ready before its time, and a timer of Node may fire up to a millisecond early.
  expect(performance.now() - before).toBeGreaterThanOrEqual(20 - 0.01)
  queue.addRateLimited('a')
  queue.done('a')
  await vi.waitFor(() => expect(queue.size).toBe(1))
})

it('cancels its timers', async () => {
  const log: string[] = []
  systemClock.timer(1, () => log.push('cancelled')).cancel()
  await new Promise<void>(resolve => systemClock.timer(5, resolve))
  expect(log).toEqual([])
})
