import { afterEach, expect, it, vi } from 'vitest'
import { MemorySamples } from './memory-samples.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('takes five samples in the first second, and then one a second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await using samples = new MemorySamples(
    process.pid,
    () => 0,
    () => 0,
  )
  vi.advanceTimersByTime(1_000)
  vi.advanceTimersByTime(2_000)
  expect(vi.getTimerCount()).toBe(1)
  const all = await samples.stop()
  expect(vi.getTimerCount()).toBe(0)
  expect(all.length).toBe(7)
  for (const { rssBytes } of all) expect(rssBytes).toBeGreaterThan(1_000_000)
})
