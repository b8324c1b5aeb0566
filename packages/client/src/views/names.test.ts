import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidNameError } from '../errors/invalid-name.ts'
import { configMaps, nodes } from '../resources/core.ts'
import { refusal, scripted } from '../verbs/scripted.fixture.ts'
import { checkLabelKey, checkLabelValue } from './label.ts'
import { collectionPath, objectPath, queryText } from './path.ts'
import { defineResource } from './resource.ts'
import { checkSegment, encodeSegment } from './segment.ts'

const bad = ['', '.', '..', '/', 'a/b', '../x', 'a?b', '%2f', 'a%2Fb', '?', '\ud800', null, undefined, 7, {}]
const good = ['a', 'system:node', 'A_b', 'a b', 'ü', '...', 'a#b', '__proto__', 'x'.repeat(300)]

describe('X1: names by the rules of path segments', () => {
  it.each(bad)('X1: %j is no name, namespace or plural', value => {
    expect(() => checkSegment('name', value)).toThrow(InvalidNameError)
    const key = { name: value as string, namespace: 'n' }
    expect(() => objectPath(configMaps.resource, key)).toThrow(InvalidNameError)
    expect(() => objectPath(configMaps.resource, { name: 'n', namespace: value as string })).toThrow(InvalidNameError)
    const definition = { group: '', version: 'v1', kind: 'X', plural: value as string, namespaced: true } as const
    expect(() => defineResource<object>(definition)).toThrow(InvalidNameError)
    expect(() => configMaps.within({ namespaces: [value as string] })).toThrow(InvalidNameError)
  })

  it.each(good)('X1: %j is a name, and one segment of a path', value => {
    const segment = encodeSegment('name', value)
    expect(decodeURIComponent(segment)).toBe(value)
    const url = new URL(`http://x/a/${segment}/b`)
    expect(url.pathname.split('/')).toEqual(['', 'a', segment, 'b'])
  })

  it('X1: whatever the name, its path has it as one segment or there is no path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), name => {
        let path: string
        try {
          path = objectPath(configMaps.resource, { name, namespace: 'n' })
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidNameError)
          return
        }
        const { pathname, search, hash } = new URL(`http://x${path}`)
        expect(search + hash).toBe('')
        const segments = pathname.split('/').map(decodeURIComponent)
        expect(segments).toEqual(['', 'api', 'v1', 'namespaces', 'n', 'configmaps', name])
      }),
    )
  })

  it('X1: a bad name is an error with a code before any request', async () => {
    const { client, requests, run } = scripted(() => refusal(500, 'Never'))
    await run(async () => {
      for (const name of ['', '..', 'a/b', '%2f', 'a?b']) {
        const key = { name, namespace: 'n' }
        const refused = { code: 'INVALID_NAME', what: 'name', value: name }
        await expect(client.get(configMaps, key)).rejects.toMatchObject(refused)
        await expect(client.delete(configMaps, key)).rejects.toMatchObject(refused)
        await expect(client.patch(configMaps, key, {})).rejects.toMatchObject(refused)
        await expect(client.update(configMaps, { metadata: key })).rejects.toMatchObject(refused)
        await expect(client.scale.get(configMaps, key)).rejects.toMatchObject(refused)
        await expect(client.delete(nodes, { name })).rejects.toMatchObject(refused)
      }
      const none = { metadata: { name: 'a' } }
      await expect(client.create(configMaps, none)).rejects.toMatchObject({ code: 'INVALID_NAME', what: 'namespace' })
      await client.close()
    })
    expect(requests).toEqual([])
  })
})

it('builds the path of any resource', () => {
  expect(collectionPath(configMaps.resource)).toBe('/api/v1/configmaps')
  expect(collectionPath(configMaps.resource, 'n')).toBe('/api/v1/namespaces/n/configmaps')
  const roles = {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    kind: 'ClusterRole',
    plural: 'clusterroles',
    namespaced: false,
  }
  expect(objectPath(roles, { name: 'system:node' })).toBe('/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node')
  expect(objectPath(roles, { name: 'a b' }, 'status')).toBe(
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/a%20b/status',
  )
  expect(() => collectionPath(roles, 'n')).toThrow(RangeError)
  expect(queryText({ a: 1, b: '', c: undefined, d: 'x=y&z' })).toBe('?a=1&d=x%3Dy%26z')
})

it('X1: a query is read by the server as it was meant, whatever it holds', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(fc.dictionary(text, text, { noNullPrototype: true }), parameters => {
      const meant = Object.entries(parameters).filter(([, value]) => value !== '')
      expect([...new URLSearchParams(queryText(parameters))]).toEqual(meant)
      expect(queryText(parameters).replace(/^\?/, '')).toBe(`${new URLSearchParams(meant)}`)
    }),
  )
})

it.each(['a', 'A.b_c-d', 'x.io/a', 'x'.repeat(63), `${'d'.repeat(63)}.io/a`])('X1: %j is a label key', key => {
  expect(checkLabelKey(key)).toBe(key)
})

it.each(['', '-a', 'a-', 'a/b/c', '/a', 'x.io/', 'X.io/a', 'x'.repeat(64), `${'d'.repeat(254)}/a`, 'a b', 3])(
  'X1: %j is no label key',
  key => {
    expect(() => checkLabelKey(key)).toThrow(InvalidNameError)
  },
)

it.each(['', 'a', 'A.b_c-d', '1', 'x'.repeat(63)])('X1: %j is a label value', value => {
  expect(checkLabelValue(value)).toBe(value)
})

it.each(['-a', 'a-', 'a/b', 'x'.repeat(64), 'a b', 'ü', undefined, 3])('X1: %j is no label value', value => {
  expect(() => checkLabelValue(value)).toThrow(InvalidNameError)
})
