import { type Json, readSchema, sameJson } from '@wherry/cel/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../objects/object.ts'
import { apply } from './apply.ts'
import { customType } from './custom-types.ts'
import { difference, type FieldSet, pathsOf, union } from './field-set.ts'
import { fieldSetOf } from './field-set-of.ts'
import { readManagers } from './managers.ts'
import { merge } from './merge.ts'
import { managedAfterUpdate, type Writing } from './ownership.ts'
import { removeFields } from './remove.ts'

const text = { type: 'string' }
const item = {
  type: 'object',
  properties: { name: text, n: { type: 'integer' }, tags: { type: 'array', items: text } },
}
const type = customType(
  readSchema({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          text,
          list: {
            type: 'array',
            items: item,
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
          },
          set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
          whole: { type: 'array', items: text },
          map: { type: 'object', additionalProperties: text },
        },
      },
    },
  }),
)

const few = fc.constantFrom('a', 'b', 'c')
const spec = fc.record(
  {
    text: few,
    list: fc.uniqueArray(fc.record({ name: few, n: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: ['name'] }), {
      selector: one => one.name,
      minLength: 1,
    }),
    set: fc.uniqueArray(few, { minLength: 1 }),
    whole: fc.array(few, { minLength: 1, maxLength: 2 }),
    map: fc.dictionary(few, few, { minKeys: 1 }),
  },
  { requiredKeys: [] },
)
/** A spec that may have an empty map. */
const withEmptyMap = fc.record({ text: few, map: fc.dictionary(few, few, { maxKeys: 1 }) }, { requiredKeys: ['map'] })
const manager = fc.constantFrom('me', 'you')

const config = (of: unknown): KubeObject =>
  ({ apiVersion: 'ex.io/v1', kind: 'Game', metadata: { name: 'a' }, spec: of }) as unknown as KubeObject
const by = (name: string, second = 0): Writing => ({
  manager: name,
  apiVersion: 'ex.io/v1',
  subresource: '',
  time: `2026-01-01T00:00:0${second}Z`,
  typeAt: () => type,
  reset: undefined,
})
const empty = { apiVersion: 'ex.io/v1', kind: 'Game', metadata: {} } as unknown as KubeObject

/** What the server keeps of what was applied: without nulls, with a uid and owners. */
function stored({ object, managedFields }: ReturnType<typeof apply>): KubeObject {
  const { metadata, spec: of, ...rest } = object
  const kept = Object.entries((of ?? {}) as object).filter(([, value]) => value !== null)
  return { ...rest, metadata: { ...metadata, uid: 'u', managedFields }, spec: Object.fromEntries(kept) } as never
}

/** An object that two managers applied to by force. */
const applied = fc
  .array(fc.tuple(manager, spec), { minLength: 1, maxLength: 4 })
  .map(writes => writes.reduce((live, [name, of]) => stored(apply(live, config(of), by(name), true)), empty))

const ownedBy = (object: KubeObject): FieldSet | undefined =>
  (readManagers(object.metadata.managedFields) ?? []).reduce<FieldSet | undefined>(
    (sum, { set }) => union(sum, set),
    undefined,
  )

/** The value of a field that is reached by names alone. */
const valueAt = (object: KubeObject, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, element) => (value as Record<string, unknown>)[element.slice('f:'.length)], object)

describe('server-side apply', () => {
  it('F1: the same applied again changes neither the object nor the owners of its fields', () => {
    fc.assert(
      fc.property(applied, spec, manager, (live, of, name) => {
        const once = stored(apply(live, config(of), by(name, 1), true))
        const twice = apply(once, config(of), by(name, 2), false)
        expect(sameJson(stored(twice), once)).toBe(true)
      }),
    )
  })

  it('F1: what was applied is what there is, and its manager owns exactly that', () => {
    fc.assert(
      fc.property(applied, spec, (live, of) => {
        const next = stored(apply(live, config(of), by('me'), true))
        expect(sameJson(merge(next.spec as Json, of as Json, type.fields.get('spec') as never), next.spec)).toBe(true)
        const mine = readManagers(next.metadata.managedFields)?.find(({ name }) => name === 'me')
        const set = fieldSetOf({ spec: of } as Json, type)
        expect(difference(mine?.set, set)).toEqual(difference(set, mine?.set))
      }),
    )
  })

  it('F1: of an object that was only ever applied to, every field is somebody’s', () => {
    fc.assert(
      fc.property(applied, live => {
        const all = fieldSetOf({ spec: live.spec } as Json, type)
        expect(difference(all, ownedBy(live))).toBe(undefined)
      }),
    )
  })

  it('F1: a manager that applies nothing any more removes the fields that it alone had', () => {
    fc.assert(
      fc.property(spec, spec, (mine, theirs) => {
        const alone = stored(apply(empty, config(theirs), by('you'), false))
        const both = stored(apply(alone, config(mine), by('me'), true))
        const back = stored(apply(stored(apply(both, config(theirs), by('you'), true)), config({}), by('me'), true))
        const inOrder = (of: Json): unknown => fieldSetOf({ spec: of } as Json, type)
        expect(inOrder(back.spec as Json)).toEqual(inOrder(alone.spec as Json))
      }),
    )
  })

  it('F1: without force, whatever is not refused takes nothing from anybody', () => {
    fc.assert(
      fc.property(applied, spec, (live, of) => {
        const yours = (object: KubeObject): FieldSet | undefined =>
          readManagers(object.metadata.managedFields)?.find(({ name }) => name === 'you')?.set
        let next: KubeObject
        try {
          next = stored(apply(live, config(of), by('me'), false))
        } catch (error) {
          expect(error).toMatchObject({ code: 409 })
          return
        }
        expect(difference(yours(live), yours(next))).toBe(undefined)
      }),
    )
  })

  it('F1: an update by one manager gives it the fields that differ; all others keep their owners, but for a map that it empties', () => {
    fc.assert(
      fc.property(applied, fc.oneof(spec, withEmptyMap), (live, of) => {
        const next = { ...live, spec: of } as unknown as KubeObject
        const managed = managedAfterUpdate(live, next, by('updater'))
        const owned = ownedBy({ ...next, metadata: { ...next.metadata, managedFields: managed as never } })
        const unowned = difference(fieldSetOf({ spec: of } as Json, type), owned)
        // As on a kube-apiserver: a manager of a map's entries need not own the map, and an update that empties it sets no field.
        for (const path of pathsOf(unowned)) {
          expect(Object.keys(valueAt(live, path) ?? {})).not.toEqual([])
          expect(valueAt(next, path)).toEqual({})
        }
      }),
    )
  })
})

describe('fields of a value', () => {
  it('F1: without all of its fields nothing is left of a value', () => {
    fc.assert(
      fc.property(spec, of => {
        const specType = type.fields.get('spec') as never
        const value = of as Json
        const left = removeFields(value, fieldSetOf(value, specType), specType) as Record<string, Json> | null
        expect(Object.values(left ?? {}).every(field => field === null)).toBe(true)
      }),
    )
  })

  it('F1: a value merged with itself is itself', () => {
    fc.assert(
      fc.property(spec, of => {
        expect(merge(of as Json, of as Json, type.fields.get('spec') as never)).toEqual(of)
      }),
    )
  })
})
