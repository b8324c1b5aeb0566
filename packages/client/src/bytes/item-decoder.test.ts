import { describe, expect, it } from 'vitest'
import { ItemDecoder } from './item-decoder.ts'

const type = { kind: 'Game', apiVersion: 'ex.io/v1' }

/** What becomes of an item in the midst of other bytes, as JSON: the order of its keys counts. */
function decoded(item: string, as: typeof type | null = type): string | undefined {
  const decoder = new ItemDecoder(false)
  decoder.setType(as ?? undefined)
  const value = decoder.decode(Buffer.from(`##${item}"kind":"`), 2, 2 + Buffer.byteLength(item))
  return value && JSON.stringify(value)
}

describe('decoding items', () => {
  it.each([
    ['{"metadata":{"name":"ü"}}', '{"kind":"Game","apiVersion":"ex.io/v1","metadata":{"name":"ü"}}'],
    ['{ \n\t"metadata" : 1 }', '{"kind":"Game","apiVersion":"ex.io/v1","metadata":1}'],
    ['{}', '{"kind":"Game","apiVersion":"ex.io/v1"}'],
    ['{ }', '{"kind":"Game","apiVersion":"ex.io/v1"}'],
    ['{"kin":1,"a":2}', '{"kind":"Game","apiVersion":"ex.io/v1","kin":1,"a":2}'],
    ['{"api":1}', '{"kind":"Game","apiVersion":"ex.io/v1","api":1}'],
    ['{"x":1,"kind":"Own"}', '{"kind":"Own","apiVersion":"ex.io/v1","x":1}'],
  ])('R20: %s gets the kind and apiVersion of its list first', (item, expected) => {
    expect(decoded(item)).toBe(expected)
  })

  it.each([
    '{"apiVersion":"v2","kind":"Own","metadata":1}',
    '{"kind":"Own","apiVersion":"v2","metadata":1}',
    '{"kind":"Own"}',
    '{"apiVersion":"v2"}',
  ])('R20: %s says itself what it is, and stays as it is', item => {
    expect(decoded(item)).toBe(item)
    expect(decoded(item.replace('{', '{\n  '))).toBe(item)
  })

  it('leaves items as they are when nothing is known of them', () => {
    expect(decoded('{"metadata":1}', null)).toBe('{"metadata":1}')
  })

  it('gives nothing for less or more than one object', () => {
    for (const item of ['{"a":', '{"a":1},{"b":2}', '{"a":1}}', '{"a" 1}', '{']) expect(decoded(item)).toBeUndefined()
  })

  it('quotes a kind that needs it', () => {
    expect(decoded('{"a":1}', { kind: 'A"B', apiVersion: 'v\\1' })).toBe('{"kind":"A\\"B","apiVersion":"v\\\\1","a":1}')
  })
})
