import { describe, expect, it } from 'vitest'
import { FieldSelector, type FieldSelectorInput } from './field-selector.ts'

describe('field selectors', () => {
  it.each<[FieldSelectorInput, string]>([
    ['', ''],
    ['metadata.name=a', 'metadata.name=a'],
    ['metadata.name==a,', 'metadata.name=a'],
    ['status.phase!=Failed,metadata.name=a', 'metadata.name=a,status.phase!=Failed'],
    ['a=1,a=1', 'a=1'],
    ['a=', 'a='],
    ['a=x\\,y\\=z\\\\', 'a=x\\,y\\=z\\\\'],
    [{ 'metadata.name': 'a,b=c\\' }, 'metadata.name=a\\,b\\=c\\\\'],
    [{}, ''],
  ])('reads %j', (given, normal) => {
    expect(FieldSelector.of(given).text).toBe(normal)
  })

  it.each<[unknown, ErrorConstructor]>([
    ['a', RangeError],
    ['a=b=c', RangeError],
    ['a=\\x', RangeError],
    ['a=\\', RangeError],
    ['=a', RangeError],
    [{ '': 'a' }, RangeError],
    [{ 'a=b': 'c' }, RangeError],
    [{ a: 1 }, TypeError],
    [null, TypeError],
    [[], TypeError],
  ])('X6: refuses %j with a code', (given, type) => {
    const read = () => FieldSelector.of(given as FieldSelectorInput, 'within.fields')
    expect(read).toThrow(type)
    expect(read).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })

  it('gives back values as they were, and says what must be equal', () => {
    const value = 'a,b=c\\d'
    const selector = FieldSelector.of(FieldSelector.of({ f: value }).text)
    expect(selector.equal('f')).toBe(value)
    expect(selector.equal('g')).toBeUndefined()
    expect(selector.and(FieldSelector.of('e=1')).text).toBe(`e=1,${selector.text}`)
  })
})
