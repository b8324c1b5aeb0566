import type { View } from '@wherry/client'
import { isInvalidOption, selfNamed } from '@wherry/client/internal'
import { configMaps, pods } from '@wherry/client/resources/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compose } from './compose.ts'
import { dropData } from './drop-data.ts'
import { keyOnly } from './key-only.ts'
import { omit } from './omit.ts'
import { pick } from './pick.ts'
import { stripLastApplied, stripManagedFields } from './strip.ts'

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'a',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '7',
    generation: 2,
    labels: { app: 'x' },
    annotations: { [lastApplied]: '{}', 'example.com/owner': 'me' },
    managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }],
  },
  spec: {
    nodeName: 'n',
    containers: [
      { name: 'one', image: 'i1', env: [{ name: 'A' }] },
      { name: 'two', image: 'i2' },
    ],
  },
  status: { phase: 'Running', conditions: [] },
}
const identity = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '7' },
}
const { managedFields: _, ...leanMetadata } = pod.metadata
const lean = { ...pod, metadata: leanMetadata }

describe('pick', () => {
  it('T2: keeps the paths and the object’s identity', () => {
    expect(pick('status.phase', 'metadata.labels')(pod)).toEqual({
      ...identity,
      metadata: { ...identity.metadata, labels: { app: 'x' } },
      status: { phase: 'Running' },
    })
  })

  it('T2: picks from each item of a list', () => {
    expect(pick('spec.containers.image')(pod)).toEqual({
      ...identity,
      spec: { containers: [{ image: 'i1' }, { image: 'i2' }] },
    })
  })

  it('T2: takes keys with dots in a list of keys', () => {
    expect(pick(['metadata', 'annotations', 'example.com/owner'])(pod)).toEqual({
      ...identity,
      metadata: { ...identity.metadata, annotations: { 'example.com/owner': 'me' } },
    })
  })

  it('leaves out missing paths, and keeps values that are no objects', () => {
    const odd = { metadata: null, spec: 3 }
    expect(pick('spec.nodeName', 'status')(odd as object)).toEqual({ metadata: null, spec: 3 })
    expect(pick('a.b')({ a: undefined, toString: 1 })).toEqual({ a: undefined })
    expect(pick('constructor')({})).toEqual({})
  })

  it('T2: gives a path with all below it, whatever longer one is given too', () => {
    for (const projection of [pick('status', 'status.phase'), pick('status.phase', 'status')]) {
      expect(projection(pod)).toMatchObject({ status: pod.status })
    }
  })

  it('D1: is named after its paths, in whatever order they come', () => {
    const key = (view: View): string => view.key
    expect(key(pods.project(pick('status', 'metadata.labels')))).toBe('/v1/pods?projection=pick:metadata.labels,status')
    expect(pick('b', 'a', 'b').projectionName).toBe('pick:a,b')
    expect(pick(['a', 'b']).projectionName).toBe('pick:a.b')
    expect(pick(['a', 'b.c'], ['a,d']).projectionName).toBe('pick:["a","b.c"],["a,d"]')
    expect(pick(['a+b']).projectionName).toBe('pick:["a+b"]')
  })

  it('X5: takes __proto__ for a key like others', () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":1},"metadata":{"labels":{"__proto__":"x"}}}') as object
    const made = pick('__proto__', 'metadata.labels')(hostile)
    expect(JSON.stringify(made)).toBe('{"metadata":{"labels":{"__proto__":"x"}},"__proto__":{"polluted":1}}')
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
    expect(JSON.stringify(omit('a')(hostile))).toBe(JSON.stringify(hostile))
    expect(Object.getPrototypeOf(omit('a')(hostile))).toBe(Object.prototype)
  })
})

describe('omit', () => {
  it('T2: leaves the paths and managedFields out', () => {
    expect(omit('status', 'spec.containers.env')(pod)).toEqual({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: leanMetadata },
      spec: {
        nodeName: 'n',
        containers: [
          { name: 'one', image: 'i1' },
          { name: 'two', image: 'i2' },
        ],
      },
    })
    expect(omit('status').projectionName).toBe('omit:status')
  })

  it('keeps the parts that it does not touch as they are', () => {
    const made = omit('status')(pod)
    expect(made.spec).toBe(pod.spec)
    expect(pod.status).toBeDefined()
  })

  it.each(['metadata', 'metadata.name', 'metadata.uid', 'kind'])('refuses to leave out %s', path => {
    expect(() => omit(path)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })
})

describe('other ready-made projections', () => {
  it('T2: strips managedFields', () => {
    expect(stripManagedFields(pod)).toEqual(lean)
    expect(stripManagedFields.projectionName).toBe('stripManagedFields')
  })

  it('T2: strips the annotation of kubectl apply, and managedFields', () => {
    const made = stripLastApplied(pod)
    expect(made).toEqual({ ...lean, metadata: { ...leanMetadata, annotations: { 'example.com/owner': 'me' } } })
    expect(stripLastApplied({ metadata: { name: 'a' } })).toEqual({ metadata: { name: 'a' } })
  })

  it('T2: drops data', () => {
    const map = { kind: 'ConfigMap', metadata: pod.metadata, immutable: true, data: { a: 'b' }, binaryData: { c: 'd' } }
    expect(dropData(map)).toEqual({ kind: 'ConfigMap', metadata: leanMetadata, immutable: true })
    expect(configMaps.project(dropData).key).toBe('/v1/configmaps?projection=dropData')
  })

  it('T1: keeps the key alone', () => {
    expect(keyOnly(pod)).toEqual({ metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '7' } })
    const cluster = keyOnly({ metadata: { name: 'n', uid: 'u', resourceVersion: '1' } })
    expect(Object.keys(cluster.metadata)).toEqual(['name', 'uid', 'resourceVersion'])
  })

  it('T2: composes', () => {
    const both = compose(stripLastApplied, omit('status'), pick('metadata.annotations', 'status', 'spec.nodeName'))
    expect(both(pod)).toEqual({
      ...identity,
      metadata: { ...identity.metadata, annotations: { 'example.com/owner': 'me' } },
      spec: { nodeName: 'n' },
    })
    expect(both.projectionName).toBe('stripLastApplied+omit:status+pick:metadata.annotations,spec.nodeName,status')
    const own = selfNamed('kind', (object: { kind?: string | undefined }) => object.kind)
    expect(compose(stripManagedFields, own)(pod)).toBe('Pod')
  })

  it('D1: are one and the same however often they are made', () => {
    expect(pods.project(pick('spec')).key).toBe(pods.project(pick('spec')).key)
    expect(pods.project(pick('spec')).projection.selfNamed).toBe(true)
  })
})

describe('bad input', () => {
  it.each<[string, () => unknown]>([
    ['no path to pick', () => (pick as () => unknown)()],
    ['no path to omit', () => (omit as () => unknown)()],
    ['an empty path', () => pick('')],
    ['an empty key', () => pick('a..b')],
    ['no keys', () => pick([])],
    ['a number for a path', () => pick(3 as never)],
    ['a number for a key', () => pick(['a', 3 as never])],
    ['one projection to compose', () => (compose as (one: unknown) => unknown)(stripManagedFields)],
    ['a function without a name to compose', () => compose(stripManagedFields, object => object)],
  ])('X6: refuses %s', (_, make) => {
    let error: unknown
    try {
      make()
    } catch (thrown) {
      error = thrown
    }
    expect(isInvalidOption(error)).toBe(true)
  })
})

describe('of any JSON', () => {
  const json = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.jsonValue({ maxDepth: 4 }))
  const path = fc.array(fc.constantFrom('a', 'b', 'c', '__proto__'), { minLength: 1, maxLength: 3 })

  it('T2: picked and omitted parts are the whole', () => {
    fc.assert(
      fc.property(json, path, (value, keys) => {
        const copy = structuredClone(value)
        const kept = pick(keys)(value)
        const left = omit(keys)(value)
        expect(JSON.stringify(value)).toBe(JSON.stringify(copy))
        // what was kept is not left, and nothing is lost
        expect(atoms(kept) + atoms(left)).toBeGreaterThanOrEqual(atoms(value))
        expect(atoms(pick(keys)(left as object))).toBeLessThanOrEqual(atoms(kept))
        expect(pick(keys)(kept as object)).toEqual(kept)
        expect(omit(keys)(left as object)).toEqual(left)
      }),
    )
  })
})

/** How many values that are no objects or lists there are. */
function atoms(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, one) => sum + atoms(one), 0)
}
