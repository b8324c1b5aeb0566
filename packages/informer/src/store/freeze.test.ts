import { describe, expect, it } from 'vitest'
import { freezeDeep } from './freeze.ts'

describe('freezing', () => {
  it('R37: is all that a value holds, in maps and in lists', () => {
    const inner = { deep: [{ deeper: {} }] }
    const value = { inner, list: [1, 'two', null, undefined], nothing: null }
    freezeDeep(value)
    const all = [value, inner, inner.deep, inner.deep[0], inner.deep[0]?.deeper, value.list]
    expect(all.map(one => Object.isFrozen(one))).toEqual(all.map(() => true))
  })

  it('R37: comes to an end where a value holds itself, and leaves what can’t be frozen as it is', () => {
    const bytes = new Uint8Array([1, 2])
    const value: { bytes: Uint8Array; self?: object } = { bytes }
    value.self = value
    freezeDeep(value)
    bytes[0] = 5
    expect([Object.isFrozen(value), bytes[0]]).toEqual([true, 5])
  })

  it.each([[undefined], [null], [5], ['text'], [true]])('is nothing of %j', value => {
    expect(() => freezeDeep(value)).not.toThrow()
  })
})

it('R37: a clone shares nothing with what it is of', () => {
  const value = { metadata: { labels: { app: 'web' } }, list: [{ a: 1 }] }
  freezeDeep(value)
  const copy = structuredClone(value)
  expect(copy).toEqual(value)
  copy.metadata.labels.app = 'other'
  ;(copy.list[0] as { a: number }).a = 2
  expect([value.metadata.labels.app, value.list]).toEqual(['web', [{ a: 1 }]])
})
