import { describe, expect, it } from 'vitest'
import { InvalidNameError } from '../errors/invalid-name.ts'
import { OptionRangeError } from '../errors/option.ts'
import { configMaps, namespaces } from '../resources/core.ts'
import { checkedKey, parsedKey } from './key.ts'
import type { ObjectKey } from './object.ts'

describe('a key', () => {
  it('is a name, in a namespace where there are any', () => {
    expect(checkedKey(configMaps, { namespace: 'a', name: 'x' })).toEqual({ name: 'x', namespace: 'a', text: 'a/x' })
    expect(checkedKey(namespaces, { name: 'x' })).toEqual({ name: 'x', namespace: undefined, text: 'x' })
  })

  it.each([
    [configMaps, { namespace: 'a' }, /^the name of \w+ /],
    [configMaps, { namespace: 'a', name: '' }, /^the name of \w+ /],
    [configMaps, { name: 'x' }, /^(the )?namespace /],
    [namespaces, { namespace: 'a', name: 'x' }, /^namespace "a" is given, and namespaces have none$/],
  ])('X1: that can name nothing is an error that says which part is wrong', (view, key, says) => {
    const check = () => checkedKey(view, key as ObjectKey)
    expect(check).toThrow(InvalidNameError)
    expect(check).toThrow(says)
  })

  it.each([[undefined], [null], ['a/x']])('X6: is { name, namespace }, and not %s', key => {
    expect(() => checkedKey(configMaps, key as never)).toThrow('key takes { name, namespace }, got ')
  })

  it('X1: is quoted as given in the error about it', () => {
    expect(() => checkedKey(configMaps, { namespace: null, name: 'x' })).toThrow(
      'the namespace of configmaps null must be a string',
    )
    expect(() => checkedKey(namespaces, 'x')).toThrow('key takes { name }, got a string')
  })

  it('N2: outside the view’s namespaces is an error that names these', () => {
    const check = () => checkedKey(configMaps.within({ namespaces: ['a', 'b'] }), { namespace: 'c', name: 'x' })
    expect(check).toThrow(OptionRangeError)
    expect(check).toThrow(/namespace .*one of the view's \(a, b\).*"c"/)
    expect(checkedKey(configMaps.within({ namespaces: ['a', 'b'] }), { namespace: 'b', name: 'x' }).text).toBe('b/x')
  })

  it('has the namespace of a home where it names none', () => {
    expect(checkedKey(configMaps, { name: 'x' }, 'a').text).toBe('a/x')
    expect(checkedKey(configMaps, { metadata: { namespace: 'b', name: 'x' } }, 'a').text).toBe('b/x')
    expect(checkedKey(namespaces, { name: 'x' }, 'a')).toEqual({ name: 'x', namespace: undefined, text: 'x' })
  })

  it('is what its text says', () => {
    expect(parsedKey(configMaps.resource, 'a/x')).toEqual({ namespace: 'a', name: 'x' })
    expect(parsedKey(namespaces.resource, 'x')).toEqual({ name: 'x' })
  })
})
