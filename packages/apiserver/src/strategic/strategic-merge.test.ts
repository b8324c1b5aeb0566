import type { JsonObject } from '@wherry/cel/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtinType } from '../fields/builtin-types.ts'
import type { FieldType } from '../fields/field-type.ts'
import { StrategicError } from './strategic-error.ts'
import { strategicMerge } from './strategic-merge.ts'

const pod = builtinType('v1', 'Pod') as FieldType
const patched = (original: unknown, patch: unknown): JsonObject =>
  strategicMerge({ spec: original } as JsonObject, { spec: patch } as JsonObject, pod).spec as JsonObject
const metadata = (original: unknown, patch: unknown): JsonObject =>
  strategicMerge({ metadata: original } as JsonObject, { metadata: patch } as JsonObject, pod).metadata as JsonObject
const refusal = (original: unknown, patch: unknown): [number, string] => {
  try {
    metadata(original, patch)
  } catch (error) {
    if (error instanceof StrategicError) return [error.code, error.message]
  }
  throw new Error('not refused')
}

describe('a strategic merge patch', () => {
  it('F1: merges maps, and removes null fields', () => {
    expect(patched({ a: 1, m: { x: 1, y: 2 }, l: [1] }, { a: null, m: { y: null, z: 3 }, l: [2], n: null })).toEqual({
      m: { x: 1, z: 3 },
      l: [2],
    })
  })

  it('F1: merges items by their key, and puts new ones first, as the server does', () => {
    const containers = [{ name: 'a', image: '1' }, { name: 'b' }]
    expect(patched({ containers }, { containers: [{ name: 'b', image: '2' }] }).containers).toEqual([
      { name: 'a', image: '1' },
      { name: 'b', image: '2' },
    ])
    expect(patched({ containers }, { containers: [{ name: 'c' }] }).containers).toEqual([{ name: 'c' }, ...containers])
  })

  it('F1: deletes and replaces items and maps by directives', () => {
    const containers = [{ name: 'a' }, { name: 'b' }]
    expect(patched({ containers }, { containers: [{ name: 'a', $patch: 'delete' }] }).containers).toEqual([
      { name: 'b' },
    ])
    expect(
      patched({ containers }, { containers: [{ $patch: 'replace' }, { name: 'c', image: null }] }).containers,
    ).toEqual([{ name: 'c' }])
    expect(patched({ m: { a: 1 } }, { m: { $patch: 'replace', b: 2 } })).toEqual({ m: { b: 2 } })
    expect(patched({ m: { a: 1 } }, { m: { $patch: 'delete' } })).toEqual({ m: {} })
    expect(patched({}, { m: { $patch: 'delete' }, n: { o: { $patch: 'replace' }, p: 1 } })).toEqual({ n: { p: 1 } })
  })

  it('F1: merges and deletes texts of a list', () => {
    expect(metadata({ finalizers: ['a', 'b'] }, { finalizers: ['c', 'a'] }).finalizers).toEqual(['c', 'a', 'b'])
    expect(
      metadata({ finalizers: ['a', 'b'] }, { '$deleteFromPrimitiveList/finalizers': ['a', 'c'] }).finalizers,
    ).toEqual(['b'])
    expect(metadata({}, { '$deleteFromPrimitiveList/finalizers': ['a'] })).toEqual({})
  })

  it('F1: puts items in the order that is asked for; others stay where they were', () => {
    const order = { '$setElementOrder/finalizers': ['d', 'b', 'a'] }
    expect(metadata({ finalizers: ['a', 'b', 'c'] }, { ...order, finalizers: ['d'] }).finalizers).toEqual([
      ...['d', 'b', 'a', 'c'],
    ])
    expect(metadata({ finalizers: ['a', 'c', 'b'] }, order).finalizers).toEqual(['c', 'b', 'a'])
    expect(metadata({}, order)).toEqual({})
  })

  it('F1: keeps only retained keys', () => {
    const volumes = [{ name: 'v', emptyDir: {}, other: 1 }]
    const patch = [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }]
    expect(patched({ volumes }, { volumes: patch }).volumes).toEqual([{ name: 'v', configMap: { name: 'c' } }])
  })

  it('F1: that makes no sense is refused as the server words it', () => {
    const of = { finalizers: ['a'], ownerReferences: [{ uid: '1' }] }
    expect(refusal(of, { $patch: 'other' })).toEqual([500, 'unknown patch type: other in map: map[$patch:other]'])
    expect(refusal(of, { $retainKeys: 1 })).toEqual([400, 'invalid patch format of retainKeys'])
    expect(refusal(of, { $retainKeys: [], a: 1 })).toEqual([400, 'invalid patch format of retainKeys'])
    expect(refusal(of, { $deleteFromPrimitiveList: [] })).toEqual([400, 'invalid patch format of primitive list'])
    expect(refusal(of, { '$setElementOrderX/a': [] })).toEqual([400, 'invalid patch format of setElementOrder list'])
    expect(refusal(of, { '$setElementOrder/a': {} })[0]).toBe(500)
    expect(refusal(of, { finalizers: [1] })).toEqual([500, 'list element types are not identical: [[a] [1]]'])
    expect(refusal(of, { finalizers: [['x']] })[0]).toBe(500)
    expect(refusal({ finalizers: [['a']] }, { finalizers: [['x']] })[0]).toBe(422)
    expect(refusal(of, { ownerReferences: [{ name: 'x' }] })).toEqual([
      500,
      'map: map[name:x] does not contain declared merge key: uid',
    ])
    expect(refusal(of, { '$setElementOrder/finalizers': ['b', 'a'], finalizers: ['a', 'b'] })[1]).toContain(
      "doesn't match $setElementOrder list",
    )
  })

  it('F1: changes neither the object nor the patch, and twice is as once', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const container = fc.record({ name, image: name }, { requiredKeys: ['name'] })
    const spec = fc.record(
      {
        containers: fc.uniqueArray(container, { selector: one => one.name, minLength: 1 }),
        nodeSelector: fc.dictionary(name, name),
        hostname: name,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(spec, spec, (original, patch) => {
        const before = JSON.stringify([original, patch])
        const once = patched(original, patch)
        expect(JSON.stringify([original, patch])).toBe(before)
        const keys = Object.keys(patch)
        expect(patched(once, patch)).toEqual(once)
        for (const key of Object.keys(original))
          if (!keys.includes(key)) expect(once[key]).toEqual(original[key as never])
        expect((once.containers as unknown[] | undefined)?.length ?? 0).toBe(
          new Set([...(original.containers ?? []), ...(patch.containers ?? [])].map(one => one.name)).size,
        )
      }),
    )
  })
})
