import { readJson } from '@wherry/testing/testkit/read-json'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalize } from '../canonical/canonicalize.ts'
import { json } from '../canonical/plain.fixture.ts'
import { compareParts } from './compare-parts.ts'
import { differingPaths } from './differing-paths.ts'
import { hashParts, parts } from './parts.ts'
import { specPart } from './spec-part.ts'
import { statusPart } from './status-part.ts'

const both = parts({ spec: specPart(), status: statusPart })

describe('compareParts', () => {
  it('says which parts differ, one that is missing included', () => {
    const a = { spec: 'v1:a', status: undefined }
    expect(compareParts(a, { spec: 'v1:a', status: undefined })).toEqual([])
    expect(compareParts(a, { spec: 'v1:b', status: 'v1:c' })).toEqual([{ part: 'spec' }, { part: 'status' }])
    expect(compareParts({ spec: 'v1:a' }, { other: 'v1:a' } as never)).toEqual([{ part: 'spec' }, { part: 'other' }])
    expect(compareParts(a, { spec: 'v1:a' } as never)).toEqual([])
    expect(compareParts({ spec: 'v1:a' }, { spec: 'v2:a' })).toEqual([{ part: 'spec' }])
  })

  it('X5: takes no inherited member for a digest', () => {
    expect(compareParts({ constructor: 'v1:a' } as never, {})).toEqual([{ part: 'constructor' }])
    expect(compareParts({}, JSON.parse('{"__proto__":"v1:a"}'))).toEqual([{ part: '__proto__' }])
  })

  it('says where, with paths in the object, and never a value', () => {
    const secret = (data: Record<string, string>, extra = {}) => ({ metadata: { name: 'a', ...extra }, data })
    const objects = [
      secret({ password: 'aHVudGVyMg==', 'a/b~c': '' }),
      secret({ password: 'b3RoZXI=' }, { labels: { x: 'y' } }),
    ] as const
    const [a, b] = objects.map(each => hashParts(each, both)) as [never, never]
    const found = compareParts(a, b, { parts: both, objects })
    expect(found).toEqual([
      { part: 'spec', paths: ['/data/a~1b~0c', '/data/password', '/metadata/labels/x'], more: false },
    ])
    expect(compareParts(a, b, { parts: both, objects, maxPaths: 2 })).toEqual([
      { part: 'spec', paths: ['/data/a~1b~0c', '/data/password'], more: true },
    ])
    expect(compareParts({ other: 'v1:x' }, {} as never, { parts: both as never, objects })).toEqual([{ part: 'other' }])
  })

  it('reports ten paths of each part, unless `maxPaths` says otherwise', () => {
    const numbers = (add: number) => ({ spec: Array.from({ length: 12 }, (_, i) => i + add), status: { a: add } })
    const objects = [numbers(0), numbers(1)] as const
    const [a, b] = objects.map(each => hashParts(each, both)) as [never, never]
    expect(compareParts(a, b, { parts: both, objects })).toEqual([
      { part: 'spec', paths: Array.from({ length: 10 }, (_, i) => `/spec/${i}`), more: true },
      { part: 'status', paths: ['/status/a'], more: false },
    ])
  })

  it.each<[string, () => unknown, string]>([
    ['no hashes', () => compareParts(null as never, {}), 'a'],
    ['no hashes on the other side', () => compareParts({}, undefined as never), 'b'],
    [
      'no paths',
      () => compareParts({}, {}, { parts: both, objects: [{}, {}], maxPaths: 0 } as never),
      'compareParts.maxPaths',
    ],
    [
      'too many',
      () => compareParts({}, {}, { parts: both, objects: [{}, {}], maxPaths: 1001 } as never),
      'compareParts.maxPaths',
    ],
  ])('X6: refuses %s', (_, compare, option) => {
    expect(compare).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option }))
  })
})

describe('differingPaths', () => {
  it.each<[unknown, unknown, string[]]>([
    [{ a: 1 }, { a: 1 }, []],
    [1, 2, ['']],
    [1, '1', ['']],
    [null, undefined, ['']],
    [{ a: null }, {}, ['/a']],
    [{ a: undefined }, {}, []],
    [{ a: {} }, { a: [] }, ['/a']],
    [{ a: [] }, { a: {} }, ['/a']],
    [{ a: {} }, { a: 'x' }, ['/a']],
    [{ a: null }, { a: {} }, ['/a']],
    [{ b: 1, a: [{ c: 1 }, 2] }, { a: [{ c: 2 }, 2, 3] }, ['/a/0/c', '/a/2', '/b']],
    [{ '': { '~': 1 } }, { '': { '~': 2 } }, ['//~0']],
    [{ constructor: 1 }, {}, ['/constructor']],
    [JSON.parse('{"__proto__":{"x":1}}'), {}, ['/__proto__']],
    [JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('{"__proto__":{"x":2}}'), ['/__proto__/x']],
  ])('of %j and %j are %j', (a, b, paths) => {
    expect(differingPaths(a, b, 10)).toEqual({ paths, more: false })
    expect(differingPaths(b, a, 10)).toEqual({ paths, more: false })
  })

  it('of numbers that are written alike are none', () => {
    const paths = (a: unknown, b: unknown): readonly string[] => differingPaths({ a }, { a: b }, 10).paths
    expect([paths(5n, 5), paths(-0, 0), paths(2n ** 60n, 2n ** 60n)]).toEqual([[], [], []])
    for (const [a, b] of [
      [5n, 6n],
      [5n, '5'],
      [5, '5'],
      [5n, 6],
      [Number.NaN, Number.NaN],
    ]) {
      expect([paths(a, b), paths(b, a)]).toEqual([['/a'], ['/a']])
    }
  })

  it('are none exactly where the values are equal', () => {
    fc.assert(
      fc.property(json, json, fc.boolean(), (a, other, same) => {
        const b = same ? readJson(JSON.stringify(a)) : other
        const { paths, more } = differingPaths(a, b, 3)
        expect(paths.length === 0).toBe(canonicalize(a) === canonicalize(b))
        expect(paths.length <= 3 && (!more || paths.length === 3)).toBe(true)
      }),
    )
  })

  it('stop at their bound, and at the depth to which values are hashed', () => {
    expect(differingPaths([1, 2, 3], [4, 5, 6], 2)).toEqual({ paths: ['/0', '/1'], more: true })
    expect(differingPaths([1, 2], [4, 5], 2)).toEqual({ paths: ['/0', '/1'], more: false })
    expect(differingPaths({ a: 1, b: 2, c: 3 }, {}, 2)).toEqual({ paths: ['/a', '/b'], more: true })
    const nested = (levels: number, inner: unknown): unknown =>
      levels === 0 ? inner : { k: [nested(levels - 1, inner)] }
    expect(differingPaths(nested(499, 1), nested(499, 2), 5).paths).toEqual(['/k/0'.repeat(499)])
    expect(differingPaths(nested(600, 1), nested(600, 2), 5)).toEqual({ paths: ['/k/0'.repeat(500)], more: false })
    expect(differingPaths([nested(600, 1)], [nested(600, 2)], 5).paths).toEqual([`/0${'/k/0'.repeat(499)}/k`])
  })
})
