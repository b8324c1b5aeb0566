import { configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { checkKey, identityOf, isSameState } from './identity.ts'

const { resource: namespaced } = configMaps
const { resource: cluster } = namespaces

describe('a key', () => {
  it('is namespace and name, or the name where there is no namespace', () => {
    expect(checkKey(namespaced, { namespace: 'a', name: 'x' })).toBe('a/x')
    expect(checkKey(namespaced, 'a/x')).toBe('a/x')
    expect(checkKey(cluster, { name: 'x' } as never)).toBe('x')
    expect(checkKey(cluster, 'x')).toBe('x')
  })

  it.each<[unknown, string]>([
    ['x', 'namespace'],
    ['/x', 'namespace'],
    ['a/', 'name'],
    ['a/x/y', 'name'],
    [{ name: 'x' }, 'namespace'],
    [{ namespace: 'a' }, 'name'],
    [null, 'key'],
    [5, 'key'],
  ])('X1: is not %j for a resource in namespaces, wrong in its %s', (key, field) => {
    expect(() => checkKey(namespaced, key as string)).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        message: expect.stringMatching(new RegExp(`^(the )?${field}\\b`)),
      }),
    )
  })

  it.each<[unknown, string]>([
    ['', 'name'],
    ['a/x', 'name'],
    [{ namespace: 'a', name: 'x' }, 'namespace'],
    [undefined, 'key'],
  ])('X1: is not %j for a resource outside of namespaces, wrong in its %s', (key, field) => {
    expect(() => checkKey(cluster, key as string)).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        message: expect.stringMatching(new RegExp(`^(the )?${field}\\b`)),
      }),
    )
  })

  it('X1: names an option that does not exist, and the options that do', () => {
    expect(() => checkKey(cluster, { namespace: 'a', name: 'x' } as never)).toThrow('namespaces have none')
    expect(() => checkKey(namespaced, 5 as never)).toThrow("'namespace/name'")
  })
})

describe('the identity of an object', () => {
  it('is its key, uid and resourceVersion', () => {
    const versions = { uid: 'u', resourceVersion: '5' }
    expect(identityOf({ metadata: { name: 'x', namespace: 'a', ...versions } })).toEqual({ key: 'a/x', ...versions })
    expect(identityOf({ metadata: { name: 'x', ...versions } })).toEqual({ key: 'x', ...versions })
    expect(identityOf({ metadata: { name: 'x', namespace: '' } }).key).toBe('x')
  })

  it.each([
    ['the same', { uid: 'u', resourceVersion: '5' }, { uid: 'u', resourceVersion: '5' }, true],
    ['of another resourceVersion', { uid: 'u', resourceVersion: '5' }, { uid: 'u', resourceVersion: '6' }, false],
    ['of another uid', { uid: 'u', resourceVersion: '5' }, { uid: 'v', resourceVersion: '5' }, false],
    ['without one', { uid: 'u', resourceVersion: undefined }, { uid: 'u', resourceVersion: undefined }, false],
    ['with an empty one', { uid: 'u', resourceVersion: '' }, { uid: 'u', resourceVersion: '' }, false],
  ] as const)('R8: compares two states: %s', (_, held, other, isSame) => {
    expect(isSameState(held, { key: 'a/x', ...other })).toBe(isSame)
  })
})
