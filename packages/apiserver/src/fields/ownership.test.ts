import type { Json } from '@wherry/cel/internal'
import { readSchema } from '@wherry/cel/internal'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../objects/object.ts'
import type { StatusError } from '../status.ts'
import { apply } from './apply.ts'
import { builtinType } from './builtin-types.ts'
import { customType } from './custom-types.ts'
import { deduced, type FieldType } from './field-type.ts'
import { managedAfterUpdate, type Writing } from './ownership.ts'

const meta = { name: 'a', uid: 'u' }
const object = (spec: unknown, more: object = {}): KubeObject =>
  ({ apiVersion: 'ex.io/v1', kind: 'Game', metadata: { ...meta }, spec, ...more }) as unknown as KubeObject

const writing = (manager: string, more: Partial<Writing> = {}): Writing => ({
  manager,
  apiVersion: 'ex.io/v1',
  subresource: '',
  time: '2026-01-01T00:00:00Z',
  typeAt: () => deduced,
  reset: undefined,
  ...more,
})

/** What each manager of an object owns, by its name. */
const owned = (managedFields: Json | undefined): Record<string, unknown> =>
  Object.fromEntries(
    ((managedFields ?? []) as { manager: string; fieldsV1: unknown }[]).map(({ manager, fieldsV1 }) => [
      manager,
      fieldsV1,
    ]),
  )

const withManaged = (of: KubeObject, managedFields: Json | undefined): KubeObject =>
  ({ ...of, metadata: { ...of.metadata, managedFields } }) as unknown as KubeObject

function thrown(run: () => unknown): StatusError {
  try {
    run()
  } catch (error) {
    return error as StatusError
  }
  throw new Error('nothing was thrown')
}

describe('a manager that updates', () => {
  it('F1: owns the fields that it sets and changes; nobody owns removed ones', () => {
    const first = object({ a: 1, b: 2 })
    const created = managedAfterUpdate(undefined, first, writing('one'))
    expect(owned(created)).toEqual({ one: { 'f:spec': { '.': {}, 'f:a': {}, 'f:b': {} } } })
    const second = withManaged(object({ a: 2, c: 3 }), created)
    const updated = managedAfterUpdate(withManaged(first, created), second, writing('two'))
    expect(owned(updated)).toEqual({ one: { 'f:spec': {} }, two: { 'f:spec': { 'f:a': {}, 'f:c': {} } } })
  })

  it('F1: does not own a map that it empties: the owner of the map itself keeps it, and an owner of its entries owns nothing', () => {
    const emptiedBy = (fields: object, operation: 'Apply' | 'Update'): unknown => {
      const entry = { manager: 'one', operation, apiVersion: 'ex.io/v1', fieldsType: 'FieldsV1', fieldsV1: fields }
      const live = withManaged(object({ map: { a: 'a' } }), [entry] as unknown as Json)
      const next = withManaged(object({}), [entry] as unknown as Json)
      return managedAfterUpdate(live, next, writing('two'))
    }
    // Seen of a kube-apiserver 1.37. A manager that applies an object with a schema owns the entries of its maps, not the maps.
    expect(emptiedBy({ 'f:spec': { 'f:map': { 'f:a': {} } } }, 'Apply')).toBe(undefined)
    expect(owned(emptiedBy({ 'f:spec': { '.': {}, 'f:map': { '.': {}, 'f:a': {} } } }, 'Update') as Json)).toEqual({
      one: { 'f:spec': {} },
    })
  })

  it('F1: owns nothing of metadata that the server gives', () => {
    const made = object({}, { metadata: { ...meta, resourceVersion: '1', generation: 1, labels: { l: 'x' } } })
    expect(owned(managedAfterUpdate(undefined, made, writing('one')))).toEqual({
      one: { 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } }, 'f:spec': {} },
    })
  })

  it('F1: owns nothing of what its endpoint puts back', () => {
    const made = object({ a: 1 }, { status: { s: 1 } })
    const reset = { 'f:status': {} }
    expect(owned(managedAfterUpdate(undefined, made, writing('one', { reset })))).toEqual({
      one: { 'f:spec': { '.': {}, 'f:a': {} } },
    })
  })

  it('F1: is nobody where nobody owned anything', () => {
    expect(managedAfterUpdate(object({ a: 1 }), object({ a: 2 }), writing('one'))).toBe(undefined)
  })

  it('F1: without a name is unknown', () => {
    expect(Object.keys(owned(managedAfterUpdate(undefined, object({}), writing(''))))).toEqual(['unknown'])
  })

  it('F1: is merged with the oldest others into one entry if there are more than ten', () => {
    let live = object({})
    live = withManaged(live, managedAfterUpdate(undefined, live, writing('m0')))
    for (let i = 1; i <= 12; i++) {
      const next = withManaged(object({ ...(live.spec as object), [`k${i}`]: i }), live.metadata.managedFields)
      const time = `2026-01-01T00:00:${String(i).padStart(2, '0')}Z`
      live = withManaged(next, managedAfterUpdate(live, next, writing(`m${i}`, { time })))
    }
    expect(Object.keys(owned(live.metadata.managedFields)).sort()).toEqual(
      ['ancient-changes', ...Array.from({ length: 9 }, (_, i) => `m${i + 4}`)].sort(),
    )
    expect(owned(live.metadata.managedFields)['ancient-changes']).toEqual({
      'f:spec': { '.': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} },
    })
  })

  it('F1: lets go of fields at a version that is not served any more', () => {
    const first = object({ a: 1 })
    const created = managedAfterUpdate(undefined, first, writing('old', { apiVersion: 'ex.io/v0' }))
    const next = withManaged(object({ a: 1, b: 2 }), created)
    const typeAt = (version: string): FieldType | undefined => (version === 'ex.io/v1' ? deduced : undefined)
    const updated = managedAfterUpdate(withManaged(first, created), next, writing('one', { typeAt }))
    expect(Object.keys(owned(updated))).toEqual(['one'])
    // Seen of a kube-apiserver 1.37: it can't compare a custom resource at that version, and changes nothing.
    const custom = managedAfterUpdate(withManaged(first, created), next, writing('one', { typeAt, custom: true }))
    expect(custom).toEqual(created)
  })
})

describe('managedFields that a client brings', () => {
  const live = withManaged(object({ a: 1 }), managedAfterUpdate(undefined, object({ a: 1 }), writing('one')))
  const ownersAfter = (brought: unknown, more: Partial<Writing> = {}): unknown => {
    const next = withManaged(object({ a: 1, b: 2 }), brought as Json)
    return owned(managedAfterUpdate(live, next, writing('two', more)))
  }
  const kept = { one: { 'f:spec': { '.': {}, 'f:a': {} } }, two: { 'f:spec': { 'f:b': {} } } }
  const entry = {
    manager: 'x',
    operation: 'Update',
    apiVersion: 'ex.io/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:a': {} } },
  }

  it('F1: replace those that are there, and are written in one way', () => {
    expect(ownersAfter([{ ...entry, fieldsV1: { 'f:spec': { 'v: 1': {} } } }])).toEqual({
      x: { 'f:spec': { 'v:1': {} } },
      two: { 'f:spec': { 'f:b': {} } },
    })
    expect(ownersAfter([entry, { ...entry, fieldsV1: {} }])).toEqual({ two: { 'f:spec': { 'f:b': {} } } })
  })

  it('F1: are none, and those that are there stay, when they are left out or can’t be read', () => {
    for (const brought of [
      undefined,
      live.metadata.managedFields,
      [entry, {}],
      [{ ...entry, operation: 'Other' }],
      [{ ...entry, apiVersion: undefined }],
      [{ ...entry, fieldsType: 'FieldsV2' }],
      [{ ...entry, fieldsV1: { bad: {} } }],
      ['x'],
    ]) {
      expect(ownersAfter(brought)).toEqual(kept)
    }
  })

  it('F1: are ignored by subresources', () => {
    expect(ownersAfter([entry], { subresource: 'status' })).toEqual(kept)
    expect(ownersAfter([{}], { subresource: 'status' })).toEqual(kept)
  })

  it('F1: that are empty let nobody own anything from then on', () => {
    expect([ownersAfter([]), ownersAfter([{}])]).toEqual([{}, {}])
  })
})

describe('a manager that applies', () => {
  const type = customType(
    readSchema({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            list: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['name'],
              items: { type: 'object', properties: { name: { type: 'string' }, n: { type: 'integer' } } },
            },
            set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
            whole: { type: 'array', items: { type: 'string' } },
            map: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
          },
        },
      },
    }),
  )
  const by = (manager: string): Writing => writing(manager, { typeAt: () => type })
  const empty = { apiVersion: 'ex.io/v1', kind: 'Game', metadata: {} } as unknown as KubeObject
  const config = (spec: unknown): KubeObject =>
    ({ apiVersion: 'ex.io/v1', kind: 'Game', metadata: { name: 'a' }, spec }) as unknown as KubeObject
  const stored = (applied: ReturnType<typeof apply>): KubeObject => {
    const { object: made, managedFields } = applied
    return withManaged({ ...made, metadata: { ...made.metadata, uid: 'u' } }, managedFields)
  }

  it('F1: owns items one by one, and takes away those that it says no more', () => {
    const first = stored(
      apply(empty, config({ list: [{ name: 'a', n: 1 }, { name: 'b' }], set: ['x', 'y'] }), by('me'), false),
    )
    expect(owned(first.metadata.managedFields).me).toEqual({
      'f:spec': {
        'f:list': {
          'k:{"name":"a"}': { '.': {}, 'f:n': {}, 'f:name': {} },
          'k:{"name":"b"}': { '.': {}, 'f:name': {} },
        },
        'f:set': { 'v:"x"': {}, 'v:"y"': {} },
      },
    })
    const second = stored(
      apply(first, config({ list: [{ name: 'b', n: 2 }, { name: 'c' }], set: ['z', 'y'] }), by('me'), false),
    )
    expect(second.spec).toEqual({ list: [{ name: 'b', n: 2 }, { name: 'c' }], set: ['z', 'y'] })
  })

  it('F1: leaves what others own, and shares what both say', () => {
    const mine = stored(apply(empty, config({ list: [{ name: 'a', n: 1 }], set: ['x'] }), by('me'), false))
    const both = stored(apply(mine, config({ list: [{ name: 'a', n: 1 }, { name: 'b' }] }), by('you'), false))
    const left = stored(apply(both, config({}), by('me'), false))
    expect(left.spec).toEqual({ list: [{ name: 'a', n: 1 }, { name: 'b' }] })
    expect(Object.keys(owned(left.metadata.managedFields))).toEqual(['me', 'you'])
  })

  it('F1: is refused what another owns, each field named, unless by force', () => {
    const mine = stored(
      apply(empty, config({ list: [{ name: 'a', n: 1 }], whole: ['x'], map: { k: 'v' } }), by('me'), false),
    )
    const theirs = config({ list: [{ name: 'a', n: 2 }], whole: ['y'], map: { l: 'v' } })
    const error = thrown(() => apply(mine, theirs, by('you'), false))
    expect([error.code, error.reason, error.message]).toEqual([
      409,
      'Conflict',
      'Apply failed with 3 conflicts: conflicts with "me":\n- .spec.map\n- .spec.whole\n- .spec.list[name="a"].n',
    ])
    expect(error.details).toEqual({
      causes: ['.spec.map', '.spec.whole', '.spec.list[name="a"].n'].map(field => ({
        reason: 'FieldManagerConflict',
        message: 'conflict with "me"',
        field,
      })),
    })
    const forced = stored(apply(mine, theirs, by('you'), true))
    expect(owned(forced.metadata.managedFields).me).toEqual({
      'f:spec': { 'f:list': { 'k:{"name":"a"}': { '.': {}, 'f:name': {} } } },
    })
  })

  it('F1: conflicts name managers with their subresource and version', () => {
    const created = managedAfterUpdate(undefined, object({ set: ['x'] }), { ...by('x'), subresource: 'status' })
    const live = withManaged(object({ whole: ['x'] }), managedAfterUpdate(undefined, object({ whole: ['x'] }), by('x')))
    expect(owned(created)).toEqual({ x: { 'f:spec': { '.': {}, 'f:set': { '.': {}, 'v:"x"': {} } } } })
    expect(thrown(() => apply(live, config({ whole: [] }), by('y'), false)).message).toBe(
      'Apply failed with 1 conflict: conflict with "x" using ex.io/v1: .spec.whole',
    )
    const entry = (live.metadata.managedFields as unknown as object[])[0] as object
    const status = withManaged(live, [{ ...entry, subresource: 'status' }] as unknown as Json)
    expect(thrown(() => apply(status, config({ whole: [] }), by('y'), false)).message).toContain(
      '"x" with subresource "status" using ex.io/v1: .spec.whole',
    )
  })

  it('F1: fields from before the first apply are owned by before-first-apply', () => {
    const live = object({ set: ['x'] })
    const { managedFields } = apply(live, config({ set: ['y'] }), by('me'), false)
    expect(owned(managedFields)).toEqual({
      'before-first-apply': { 'f:spec': { '.': {}, 'f:set': { '.': {}, 'v:"x"': {} } } },
      me: { 'f:spec': { 'f:set': { 'v:"y"': {} } } },
    })
  })

  it('F1: a value of another type is refused with its path and the reason', () => {
    const why = (spec: unknown): string => thrown(() => apply(empty, config(spec), by('me'), false)).message
    const where = 'failed to create typed patch object (/a; ex.io/v1, Kind=Game): .spec'
    expect(why({ list: [{ name: 1 }] })).toBe(
      `${where}.list[name=1].name: expected string, got &value.valueUnstructured{Value:1}`,
    )
    expect(why({ other: 1 })).toBe(`${where}.other: field not declared in schema`)
    expect(why({ set: ['x', 'x'] })).toBe(`${where}.set: duplicate entries for key [="x"]`)
    expect(why({ list: [{ name: 'a', n: 'x' }] })).toBe(
      `${where}.list[name="a"].n: expected numeric (int or float), got string`,
    )
    expect(why({ list: [{ n: 1 }] })).toContain('omits all key fields ["name"]')
    expect(why({ set: 'x', map: [] })).toBe(
      'failed to create typed patch object (/a; ex.io/v1, Kind=Game): errors:\n  .spec.set: expected list, got &{x}\n  .spec.map: expected map, got &{[]}',
    )
  })

  it('F1: built-ins name items by keys with defaults, and their atomic parts as a whole', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: {
        nodeSelector: { a: 'b' },
        containers: [{ name: 'c', ports: [{ containerPort: 80 }], args: ['x'], resources: {} }],
      },
    } as unknown as KubeObject
    const podType = builtinType('v1', 'Pod') as FieldType
    const { managedFields } = apply(
      { apiVersion: 'v1', kind: 'Pod', metadata: {} } as unknown as KubeObject,
      pod,
      writing('me', { apiVersion: 'v1', typeAt: () => podType }),
      false,
    )
    expect(owned(managedFields).me).toEqual({
      'f:spec': {
        'f:containers': {
          'k:{"name":"c"}': {
            '.': {},
            'f:args': {},
            'f:name': {},
            'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
            'f:resources': {},
          },
        },
        'f:nodeSelector': {},
      },
    })
  })
})
