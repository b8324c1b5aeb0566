import { describe, expect, it } from 'vitest'
import { Shared } from './shared.ts'

const longText = (length: number, of = 'x'): string => of.repeat(length)

describe('values that are shared', () => {
  it('are the first ones with their key', () => {
    const shared = new Shared<object>()
    const first = {}
    expect(shared.get('a', first)).toBe(first)
    expect(shared.get('a', {})).toBe(first)
  })

  it('X13: are not kept under a long key: it goes with the object', () => {
    const shared = new Shared<object>()
    const second = {}
    expect(shared.get(longText(4096), second)).toBe(second)
    expect(shared.get(longText(4096), {})).toBe(second)
    shared.get(longText(4097), {})
    expect(shared.get(longText(4097), second)).toBe(second)
  })

  it('X13: are forgotten when their keys are a mebi of characters, however many keys that is', () => {
    for (const length of [4096, 64]) {
      const shared = new Shared<number>()
      const keys = (1024 * 1024) / length
      for (let i = 0; i < keys; i++) shared.get(`${i}`.padStart(length, '0'), i)
      expect(shared.get(longText(length, '0'), -1)).toBe(0)
      shared.get('one more', 1)
      expect(shared.get(longText(length, '0'), -1)).toBe(-1)
    }
  })
})
