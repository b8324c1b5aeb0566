import type { KubernetesObject } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { hashAtIngest, parts } from '@wherry/hash-compare'
import { choose, forEachSeed, integer, seededRandom } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { AppliedObjects } from '../apply/applied-object.ts'
import { isAsDesired, ownedFields } from '../apply/judge.ts'
import { controllerOf } from '../objects/owner.ts'
import { indexBy, SourceIndices, valuesOf } from '../reads/object-index.ts'
import {
  annotationsChanged,
  fieldsChanged,
  generationChanged,
  hashChanged,
  labelsChanged,
  specChanged,
} from './changed.ts'
import { changesOf } from './changes.ts'

const manager = 'op/c'

/** How often the measured function looked at something: a key, a value, or the keys of an object. */
let steps = 0

/** The same value; each look at a part of it is a step. */
function counted<T>(value: T, known = new Map<object, object>()): T {
  if (typeof value !== 'object' || value === null) return value
  const found = known.get(value)
  if (found !== undefined) return found as T
  const step = <R>(result: R): R => {
    steps += 1
    return result
  }
  const proxy = new Proxy(value as object, {
    get: (target, key) => step(counted(Reflect.get(target, key), known)),
    has: (target, key) => step(Reflect.has(target, key)),
    ownKeys: target => {
      const keys = Reflect.ownKeys(target)
      steps += keys.length
      return keys
    },
    getOwnPropertyDescriptor: (target, key) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(target, key)
      if (descriptor !== undefined && 'value' in descriptor) descriptor.value = counted(descriptor.value, known)
      return step(descriptor)
    },
  })
  known.set(value as object, proxy)
  return proxy as T
}

/** How many keys and items a value has in all. */
function sizeOf(value: unknown): number {
  let size = 0
  const left = [value]
  for (let one = left.pop(); left.length > 0 || one !== undefined; one = left.pop()) {
    if (typeof one !== 'object' || one === null) continue
    const inner = Object.values(one)
    size += inner.length + 1
    for (const item of inner) left.push(item)
  }
  return size
}

type Shape = (
  size: number,
  random: () => number,
) => { readonly object: KubernetesObject; readonly changed: KubernetesObject }

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const map = <T>(count: number, key: (index: number) => string, value: (index: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, i => [key(i), value(i)]))
const fields = (count: number): object => ({
  'f:data': map(
    count,
    i => `f:k${i}`,
    () => ({}),
  ),
})

function nested(depth: number, leaf: unknown, key = 'a'): unknown {
  let value = leaf
  for (let i = 0; i < depth; i++) value = { [key]: value }
  return value
}

const about = { apiVersion: 'v1', kind: 'ConfigMap' } as const
const entry = (by: string, fieldsV1: unknown, more: object = {}): object => ({
  manager: by,
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})
const objectOf = (metadata: object, rest: object = {}): KubernetesObject =>
  ({ ...about, metadata: { name: 'n', namespace: 'ns', uid: 'u', ...metadata }, ...rest }) as KubernetesObject

/** Objects with much of one thing, and what they are after a change at the end of it. */
const shapes: Readonly<Record<string, Shape>> = {
  labels: size => ({
    object: objectOf({
      labels: map(
        size,
        i => `l${i}`,
        () => 'v',
      ),
    }),
    changed: objectOf({
      labels: {
        ...map(
          size,
          i => `l${i}`,
          () => 'v',
        ),
        [`l${size - 1}`]: 'w',
      },
    }),
  }),
  annotations: size => ({
    object: objectOf({
      annotations: map(
        size,
        i => `l${i}`,
        () => 'v',
      ),
    }),
    changed: objectOf({
      annotations: map(
        size,
        i => `l${i + 1}`,
        () => 'v',
      ),
    }),
  }),
  owners: size => {
    const owner = (i: number): object => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: `u${i}` })
    return {
      object: objectOf({ ownerReferences: times(size, owner) }),
      changed: objectOf({ ownerReferences: times(size, i => owner(size - i)) }),
    }
  },
  'entries of other managers': size => ({
    object: objectOf({ managedFields: times(size, i => entry(`m${i}`, fields(3))) }),
    changed: objectOf({ managedFields: times(size, i => entry(`m${i}`, fields(i === size - 1 ? 4 : 3))) }),
  }),
  'entries that are alike': size => ({
    object: objectOf({ managedFields: times(size, () => entry('m', fields(3))) }),
    changed: objectOf({ managedFields: times(size, () => entry('m', fields(4))) }),
  }),
  'entries of other times': size => ({
    object: objectOf({ managedFields: times(size, i => entry('m', fields(2), { time: `${i}` })) }),
    changed: objectOf({ managedFields: times(size, i => entry('m', fields(2), { time: `${i + 1}` })) }),
  }),
  'a forged entry of this manager': size => ({
    object: objectOf(
      { managedFields: [entry(manager, fields(size))] },
      {
        data: map(
          size,
          i => `k${i}`,
          () => 'v',
        ),
      },
    ),
    changed: objectOf(
      { managedFields: [entry(manager, fields(size + 1))] },
      {
        data: map(
          size,
          i => `k${i}`,
          () => 'w',
        ),
      },
    ),
  }),
  'list items by keys': size => {
    const spec = (value: string): object => ({ list: times(size, i => ({ name: `n${i}`, value })) })
    const byName = map(
      size,
      i => `k:${JSON.stringify({ name: `n${i}` })}`,
      () => ({ '.': {}, 'f:value': {} }),
    )
    const managedFields = [entry(manager, { 'f:spec': { 'f:list': byName } })]
    return {
      object: objectOf({ managedFields }, { spec: spec('v') }),
      changed: objectOf({ managedFields }, { spec: spec('w') }),
    }
  },
  'deep fields': size => ({
    object: objectOf({ managedFields: [entry(manager, nested(size, {}, 'f:a')), entry('m', nested(size, {}, 'f:a'))] }),
    changed: objectOf({
      managedFields: [entry(manager, nested(size, {}, 'f:b')), entry('m', nested(size + 1, {}, 'f:a'))],
    }),
  }),
  'a deep spec': size => ({
    object: objectOf({}, { spec: nested(size, 1) }),
    changed: objectOf({}, { spec: nested(size, 2) }),
  }),
  'a list that differs at its end': size => ({
    object: objectOf({}, { spec: { list: times(size, () => ({ a: 1 })) } }),
    changed: objectOf({}, { spec: { list: times(size, i => ({ a: i === size - 1 ? 2 : 1 })) } }),
  }),
  mixed: (size, random) => {
    const names = Object.keys(shapes).filter(name => name !== 'mixed')
    const several = times(3, () => (shapes[choose(random, names)] as Shape)(Math.ceil(size / 3), random))
    const merged = (of: 'object' | 'changed'): KubernetesObject => {
      const all = several.map(one => one[of] as KubernetesObject & { readonly spec?: object; readonly data?: object })
      const metadata = Object.assign({}, ...all.map(one => one.metadata))
      return objectOf(metadata, { spec: Object.assign({}, ...all.map(one => one.spec)), data: all[0]?.data })
    }
    return { object: merged('object'), changed: merged('changed') }
  },
}

/** What an operator does with objects that others wrote. */
const works: Readonly<Record<string, (object: KubernetesObject, changed: KubernetesObject) => unknown>> = (() => {
  const update = (old: KubernetesObject, object: KubernetesObject) =>
    ({ type: 'update', key: 'ns/n', old, object }) as const
  const spec = parts({ spec: ({ spec }: { readonly spec?: unknown }) => spec })
  const [, ingest] = hashAtIngest(spec)
  const index = indexBy(configMaps, 'labels', ({ metadata }) => Object.keys(metadata?.labels ?? {}))
  const source = new SourceIndices().of(configMaps, index as never, object => object)
  const applied = new AppliedObjects(manager)
  const appliedStatus = new AppliedObjects(manager, 'status')
  return {
    changesOf: (object, changed) => changesOf(update(object, changed)),
    generationChanged: (object, changed) => generationChanged(update(object, changed)),
    labelsChanged: (object, changed) => labelsChanged(update(object, changed) as never),
    annotationsChanged: (object, changed) => annotationsChanged(update(object, changed) as never),
    specChanged: (object, changed) => specChanged(update(object, changed)),
    fieldsChanged: (object, changed) =>
      fieldsChanged(({ metadata }: KubernetesObject) => metadata)(update(object, changed)),
    hashChanged: (object, changed) => hashChanged(spec as never)(update(object, changed)),
    hashAtIngest: object => ingest(object as never),
    indexBy: object => valuesOf(source, object),
    controllerOf: object => controllerOf(object),
    'what is kept of an applied object': object => applied.of(object),
    'what is kept of an applied status': object => appliedStatus.of(object),
    isAsDesired: (object, changed) => isAsDesired(ownedFields(object, manager), { ...changed, ...about }),
  }
})()

/** Too deep to be hashed or compared, which is an error of that one object. */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError || (error as { readonly code?: string }).code === 'NOT_JSON'
}

describe('the work for an object that others wrote', () => {
  it('X13: looks at each part of it a bounded number of times, whatever the object has much of', () =>
    forEachSeed(
      seed => {
        const random = seededRandom(seed)
        for (const [what, shape] of Object.entries(shapes)) {
          const size = integer(random, 500, 3000)
          const { object, changed } = shape(size, random)
          const parts = sizeOf(object) + sizeOf(changed)
          for (const [name, work] of Object.entries(works)) {
            steps = 0
            try {
              work(counted(object), counted(changed))
            } catch (error) {
              if (!isTooDeep(error)) throw error
            }
            expect(steps / parts, `${name} of ${what}`).toBeLessThan(30)
          }
        }
      },
      { seeds: 10 },
    ))

  it.each(['changesOf', 'isAsDesired', 'what is kept of an applied object', 'fieldsChanged'])(
    'X13: an object deeper than the stack is no error: %s',
    name => {
      for (const what of ['deep fields', 'a deep spec']) {
        const { object, changed } = (shapes[what] as Shape)(9000, undefined as never)
        expect(() => works[name]?.(object, changed), what).not.toThrow()
      }
    },
  )

  it('names the writer of a deep change, and its path', () => {
    const { object, changed } = (shapes['deep fields'] as Shape)(6000, undefined as never)
    const { managers } = changesOf({ type: 'update', key: 'a', old: object, object: changed })
    expect(managers).toEqual(['m', manager])
  })
})
