/** Objects of some size that each have much of one thing, as a tenant may write them, with the operator's own manager name. */
export const manager = 'game-operator/game'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
const map = (count: number, value = 'x'): Record<string, string> =>
  Object.fromEntries(numbers(count).map(i => [`example.com/k${i}`, value]))

function nested(depth: number): unknown {
  let value: unknown = 'x'
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { k: value } : [value]
  return value
}

const owned = (fieldsV1: object) => ({
  ...{ manager, operation: 'Apply', apiVersion: 'v1', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1 },
})
const paths = (count: number, path: (i: number) => string): object =>
  Object.fromEntries(numbers(count).map(i => [path(i), {}]))

/** The object of a shape that has `n` of the thing. */
type Shape = (n: number) => { readonly metadata: object; readonly [field: string]: unknown }

const named = { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1' }

export const shapes: Readonly<Record<string, Shape>> = {
  'many labels': n => ({ metadata: { ...named, labels: map(n) } }),
  'many annotations': n => ({ metadata: { ...named, annotations: map(n) } }),
  'many finalizers, all owned': n => ({
    metadata: {
      ...named,
      finalizers: numbers(n).map(i => `example.com/f${i}`),
      managedFields: [owned({ 'f:metadata': { 'f:finalizers': paths(n, i => `v:"example.com/f${i}"`) } })],
    },
  }),
  'many owner references, all owned': n => ({
    metadata: {
      ...named,
      ownerReferences: numbers(n).map(i => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `o${i}`, uid: `u${i}` })),
      managedFields: [owned({ 'f:metadata': { 'f:ownerReferences': paths(n, i => `k:{"uid":"u${i}"}`) } })],
    },
  }),
  'many entries of managedFields': n => ({
    metadata: { ...named, managedFields: numbers(n).map(i => ({ ...owned({ 'f:data': {} }), manager: `m${i}` })) },
  }),
  'many conditions, all owned': n => ({
    metadata: {
      ...named,
      managedFields: [
        { ...owned({ 'f:status': { 'f:conditions': paths(n, i => `k:{"type":"c${i}"}`) } }), subresource: 'status' },
      ],
    },
    status: { conditions: numbers(n).map(i => ({ type: `c${i}`, status: 'True', reason: 'x' })) },
  }),
  'a set, with paths that mean nothing in it': n => ({
    metadata: { ...named, managedFields: [owned({ 'f:spec': { 'f:set': paths(n, i => `v:"y${i}"`) } })] },
    spec: { set: numbers(n).map(i => `x${i}`) },
  }),
  'a list, with paths by other keys each': n => ({
    metadata: { ...named, managedFields: [owned({ 'f:spec': { 'f:list': paths(n, i => `k:{"k${i}":1}`) } })] },
    spec: { list: numbers(n).map(i => ({ [`k${i}`]: 1 })) },
  }),
  'a list with items that lack keys': n => ({
    metadata: { ...named, managedFields: [owned({ 'f:spec': { 'f:list': paths(n, i => `k:{"a":${i},"b":1}`) } })] },
    spec: { list: numbers(n).map(i => (i % 2 === 0 ? { a: i } : { b: 1 })) },
  }),
  'a deep value': n => ({ metadata: named, spec: nested(Math.min(n, 2000)), more: map(n) }),
  'keys that begin with an escape': n => ({
    metadata: named,
    data: Object.fromEntries(numbers(n).map(i => [`\t${i}`, `\n"${i}"`])),
  }),
  'one long text': n => ({ metadata: named, data: { text: '"\\'.repeat(n * 40) } }),
  'long keys': n => ({ metadata: named, data: { [`${'k'.repeat(n * 50)}a`]: 'x', [`${'k'.repeat(n * 50)}b`]: 'y' } }),
  'integers beyond 2^53': n => ({ metadata: named, spec: { list: numbers(n).map(i => 2 ** 60 + i * 512) } }),
}
