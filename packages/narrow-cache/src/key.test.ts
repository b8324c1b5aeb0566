import { InvalidNameError, type ObjectKey, OptionRangeError } from '@wherry/client'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { checkedKey, quickText } from './key.ts'

describe('a key', () => {
  it('is a name, in a namespace where there are any', () => {
    expect(checkedKey(configMaps, { namespace: 'a', name: 'x' })).toEqual({ name: 'x', namespace: 'a', text: 'a/x' })
    expect(checkedKey(namespaces, { name: 'x' })).toEqual({ name: 'x', namespace: undefined, text: 'x' })
  })

  it.each([
    [configMaps, { namespace: 'a' }, /^name /],
    [configMaps, { namespace: 'a', name: '' }, /^name /],
    [configMaps, { name: 'x' }, /^namespace /],
    [namespaces, { namespace: 'a', name: 'x' }, /^namespace "a" is given, and namespaces have none$/],
  ])('X1: that can name nothing is an error that says which part is wrong', (view, key, says) => {
    const check = () => checkedKey(view, key as ObjectKey)
    expect(check).toThrow(InvalidNameError)
    expect(check).toThrow(says)
  })

  it.each([[undefined], [null], ['a/x']])('X6: is { name, namespace }, and not %s', key => {
    expect(() => checkedKey(configMaps, key as never)).toThrow('key takes { name, namespace }, got ')
  })

  it('N2: outside the view’s namespaces is an error that names these', () => {
    const check = () => checkedKey(configMaps.within({ namespaces: ['a', 'b'] }), { namespace: 'c', name: 'x' })
    expect(check).toThrow(OptionRangeError)
    expect(check).toThrow(/namespace .*one of the view's \(a, b\).*"c"/)
    expect(checkedKey(configMaps.within({ namespaces: ['a', 'b'] }), { namespace: 'b', name: 'x' }).text).toBe('b/x')
  })

  it('has its text at once where it fits the resource, and none that an entry could have where it does not', () => {
    expect(quickText(configMaps, { namespace: 'a', name: 'x' })).toBe('a/x')
    expect(quickText(namespaces, { name: 'x' })).toBe('x')
    expect(quickText(configMaps, { name: 'x' } as ObjectKey)).toBe('')
    expect(quickText(namespaces, { namespace: 'a', name: 'x' } as ObjectKey)).toBe('')
    expect(quickText(configMaps, undefined as unknown as ObjectKey)).toBe('')
    expect(quickText(namespaces, undefined as unknown as ObjectKey)).toBeUndefined()
  })
})
