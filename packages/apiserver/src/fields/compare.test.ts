import type { Json } from '@wherry/cel/internal'
import { describe, expect, it } from 'vitest'
import { builtinType } from './builtin-types.ts'
import { compare } from './compare.ts'
import { deduced, type FieldType, fieldType } from './field-type.ts'

const text = fieldType({ kind: 'string' })
const item = fieldType({ kind: 'map', fields: new Map([['name', text]]), others: deduced })
const list = fieldType({ kind: 'list', items: item, keys: [{ name: 'name', default: undefined }] })
const set = fieldType({ kind: 'list', items: text })
const whole = fieldType({ kind: 'list', items: text, atomic: true })
const map = fieldType({ kind: 'map', others: text, atomic: true })
const type = fieldType({
  kind: 'map',
  fields: new Map([
    ['list', list],
    ['set', set],
    ['whole', whole],
    ['map', map],
  ]),
  others: deduced,
})

/** The fields that `now` sets and those that it lacks, as `fieldsV1` has them. */
const changes = (before: Json | undefined, now: Json | undefined, of: FieldType = type): unknown[] => {
  const { set: changed, removed } = compare(before, now, of)
  return [changed, removed]
}

describe('the fields that differ between two states', () => {
  it('F1: are none if the states are the same', () => {
    const value = { a: 1, b: { c: [1, null] }, list: [{ name: 'x' }], set: ['x'], whole: [], map: {} }
    expect(changes(value, structuredClone(value))).toEqual([undefined, undefined])
    expect(changes({ a: null, b: {} }, { a: null, b: {} })).toEqual([undefined, undefined])
  })

  it('F1: are leafs by themselves, and maps with all that is in them', () => {
    expect(changes({ a: 1, b: 2, c: { d: 3 } }, { a: 2, c: { e: 4 } })).toEqual([
      { 'f:a': {}, 'f:c': { 'f:e': {} } },
      { 'f:b': {}, 'f:c': { 'f:d': {} } },
    ])
    expect(changes({}, { a: { b: 1 } })).toEqual([{ 'f:a': { '.': {}, 'f:b': {} } }, undefined])
    expect(changes({ a: { b: 1 } }, {})).toEqual([undefined, { 'f:a': { '.': {}, 'f:b': {} } }])
    expect(changes({ a: undefined } as never, { a: undefined } as never)).toEqual([undefined, undefined])
  })

  it('F1: have an empty map as a leaf', () => {
    expect(changes({}, { a: {} })).toEqual([{ 'f:a': {} }, undefined])
    expect(changes({ a: null }, { a: {} })).toEqual([{ 'f:a': {} }, undefined])
    expect(changes({ a: {} }, { a: null })).toEqual([{ 'f:a': {} }, undefined])
    expect(changes({ a: {} }, { a: { b: 1 } })).toEqual([{ 'f:a': { 'f:b': {} } }, undefined])
    expect(changes({ a: { b: 1 } }, { a: {} })).toEqual([undefined, { 'f:a': { 'f:b': {} } }])
    expect(changes({}, { set: [], list: [] })).toEqual([{ 'f:set': {}, 'f:list': {} }, undefined])
    expect(changes({ set: [] }, { set: ['x'] })).toEqual([{ 'f:set': { 'v:"x"': {} } }, undefined])
  })

  it('F1: a scalar in place of a map, or the other way round, changes both', () => {
    expect(changes({ a: 1 }, { a: { b: 1 } })).toEqual([{ 'f:a': { '.': {}, 'f:b': {} } }, undefined])
    expect(changes({ a: { b: 1 } }, { a: 'x' })).toEqual([{ 'f:a': {} }, { 'f:a': { 'f:b': {} } }])
    expect(changes({ a: { b: 1 } }, { a: null })).toEqual([undefined, { 'f:a': { 'f:b': {} } }])
  })

  it('F1: lists and maps that are atomic, as a whole', () => {
    expect(changes({ whole: ['a'], map: { a: '1' } }, { whole: ['a', 'b'], map: { a: '2' } })).toEqual([
      { 'f:whole': {}, 'f:map': {} },
      undefined,
    ])
    expect(changes({ whole: ['a'], map: { a: '1' }, x: [1] }, {})).toEqual([
      undefined,
      { 'f:whole': {}, 'f:map': {}, 'f:x': {} },
    ])
    expect(changes({ whole: ['a', 'b'] }, { whole: ['b', 'a'] })).toEqual([{ 'f:whole': {} }, undefined])
  })

  it('F1: other lists item by item, in whatever order', () => {
    expect(
      changes(
        { list: [{ name: 'a', n: 1 }, { name: 'b' }], set: ['x', 'y'] },
        { list: [{ name: 'b' }, { name: 'c' }, { name: 'a', n: 2 }], set: ['z', 'y'] },
      ),
    ).toEqual([
      {
        'f:list': { 'k:{"name":"a"}': { 'f:n': {} }, 'k:{"name":"c"}': { '.': {}, 'f:name': {} } },
        'f:set': { 'v:"z"': {} },
      },
      { 'f:list': undefined, 'f:set': { 'v:"x"': {} } },
    ])
    expect(changes({ list: [{ name: 'a' }, { name: 'b' }] }, { list: [{ name: 'b' }] })).toEqual([
      undefined,
      { 'f:list': { 'k:{"name":"a"}': { '.': {}, 'f:name': {} } } },
    ])
  })

  it('F1: items that are there more than once, together', () => {
    const twice = (n: number): Json => ({ list: [{ name: 'a' }, { name: 'a', n }] })
    const field = (below: object): object => ({ 'f:list': { 'k:{"name":"a"}': below } })
    expect(changes(twice(1), twice(1))).toEqual([undefined, undefined])
    expect(changes(twice(1), twice(2))).toEqual([field({}), undefined])
    expect(changes({ list: [{ name: 'b' }] }, { list: [{ name: 'b' }, { name: 'a' }, { name: 'a' }] })).toEqual([
      field({}),
      undefined,
    ])
    expect(changes({ list: [{ name: 'a', m: 1 }] }, twice(1))).toEqual([
      field({}),
      field({ '.': {}, 'f:m': {}, 'f:name': {} }),
    ])
    expect(changes(twice(1), { list: [{ name: 'a', m: 1 }] })).toEqual([
      field({ '.': {}, 'f:m': {}, 'f:name': {} }),
      field({}),
    ])
    expect(changes(twice(1), { list: [{ name: 'b' }] })).toEqual([
      { 'f:list': { 'k:{"name":"b"}': { '.': {}, 'f:name': {} } } },
      field({}),
    ])
  })

  it('F1: of a built-in, exclude fields that encoding leaves out, and those that are always there', () => {
    const deployment = builtinType('apps/v1', 'Deployment') as FieldType
    const container = { name: 'c', args: [], env: null }
    const of = (spec: Json): Json => ({ metadata: { labels: {} }, spec })
    expect(changes({ metadata: {} }, of({ template: { spec: { containers: [container] } } }), deployment)).toEqual([
      {
        'f:spec': {
          'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:name': {} } } } },
        },
      },
      undefined,
    ])
    const spec = { template: { spec: { nodeSelector: { a: 'b' }, volumes: [{ name: 'v', emptyDir: {} }] } } }
    const volumes = { 'k:{"name":"v"}': { '.': {}, 'f:emptyDir': {}, 'f:name': {} } }
    const gone = {
      'f:spec': {
        'f:template': { 'f:spec': { 'f:nodeSelector': {}, 'f:volumes': { '.': {}, ...volumes } } },
      },
    }
    expect(changes(of(spec), of({ template: { spec: { nodeSelector: {}, volumes: [] } } }), deployment)).toEqual([
      undefined,
      gone,
    ])
    expect(changes(of(spec), { metadata: {} }, deployment)).toEqual([undefined, gone])
    // What was made of a configuration is taken as it is: the map that it empties is still there.
    const emptied = of({ template: { spec: { nodeSelector: { a: 'b' }, volumes: [] } } })
    expect(compare(of(spec), emptied, deployment, true).removed).toEqual({
      'f:spec': { 'f:template': { 'f:spec': { 'f:volumes': volumes } } },
    })
  })
})
