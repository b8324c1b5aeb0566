import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from './clock.ts'

const dayMs = 86_400_000

describe("the machine's clock", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('fires a timer of more than 25 days when its time has come, and not at once', () => {
    const fired: string[] = []
    systemClock().timer(60 * dayMs, () => fired.push('two months'))
    const never = systemClock({ unref: true }).timer(Number.POSITIVE_INFINITY, () => fired.push('never'))
    vi.advanceTimersByTime(59 * dayMs)
    expect(fired).toEqual([])
    vi.advanceTimersByTime(2 * dayMs)
    expect(fired).toEqual(['two months'])
    never.cancel()
    expect(vi.getTimerCount()).toBe(0)
  })
})
