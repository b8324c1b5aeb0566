import { apply, jsonPatch, merge, post, put, quietly, type RequestStep, type Scenario } from '../scenario.ts'
import { cms, configMap, defined, game, games, version } from './shapes.ts'

const text = { type: 'string' }
const item = { type: 'object', required: ['name'], properties: { name: text, value: text, tags: { type: 'object' } } }
const spec = {
  type: 'object',
  properties: {
    kept: text,
    map: { type: 'object', additionalProperties: text },
    nullable: { type: 'object', nullable: true, additionalProperties: text },
    atomicMap: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    nested: { type: 'object', properties: { a: text, b: { type: 'object', properties: { c: text } } } },
    atomicList: { type: 'array', items: text },
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    items: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  },
}
const typed = [version('v1', { schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } })]

/** A spec before and after the write that empties a part of it; `undefined`: the object has no spec then. */
type Emptied = readonly [before: Readonly<Record<string, unknown>>, now: unknown]

const emptied: readonly Emptied[] = [
  [{ map: { x: '1' } }, {}],
  [{ map: { x: '1' } }, undefined],
  [{ map: { x: '1' } }, { map: {} }],
  [{ map: { x: '1' } }, { map: null }],
  [
    { map: { x: '1' }, kept: 'k' },
    { map: {}, kept: 'k' },
  ],
  [{ map: {} }, {}],
  [{ map: {} }, { map: { x: '1' } }],
  [{ nullable: { x: '1' } }, { nullable: null }],
  [{ nullable: null }, { nullable: {} }],
  [{ atomicMap: { x: '1' } }, { atomicMap: {} }],
  [{ atomicMap: { x: '1' } }, {}],
  [{ any: { x: { y: 1 } } }, { any: { x: {} } }],
  [{ any: { x: { y: 1 } } }, { any: { x: null } }],
  [{ any: { x: [1] } }, { any: { x: [] } }],
  [{ nested: { a: '1', b: { c: '1' } } }, { nested: { b: {} } }],
  [{ nested: { b: { c: '1' } } }, { nested: {} }],
  [{ atomicList: ['x'] }, { atomicList: [] }],
  [{ set: ['x', 'y'] }, { set: [] }],
  [{ items: [{ name: 'x', value: '1' }] }, { items: [] }],
  [{ items: [{ name: 'x', value: '1' }] }, {}],
  [{ items: [{ name: 'x', value: '1' }] }, { items: [{ name: 'x' }] }],
]

/** The requests by which one manager writes a spec, and that manager or another empties it. */
type Way = (path: string, name: string, emptied: Emptied) => readonly RequestStep[]

const saved = { save: { rv: '?metadata.resourceVersion' } }
const applied = (by: string, path: string, name: string, of: unknown, more: object = {}): RequestStep =>
  apply(by, path, game(name, of), more)
const created = (name: string, of: unknown): RequestStep => post(`${games}?fieldManager=a`, game(name, of), saved)
const replaced = (by: string, path: string, name: string, of: unknown): RequestStep =>
  put(`${path}?fieldManager=${by}`, game(name, of, { resourceVersion: '{rv}' }), saved)

// A server lists managers by second and then by name. A manager that changes something comes after those with earlier names,
// so the order does not depend on the second.
const ways: Readonly<Record<string, Way>> = {
  'its creator': (path, name, [before, now]) => [created(name, before), replaced('a', path, name, now)],
  'another manager than its creator': (path, name, [before, now]) => [
    created(name, before),
    replaced('b', path, name, now),
    replaced('c', path, name, before),
  ],
  'another manager than its applier': (path, name, [before, now]) => [
    applied('a', path, name, before, saved),
    replaced('b', path, name, now),
    applied('c', path, name, before),
    applied('a', path, name, before),
  ],
  'an update of its applier': (path, name, [before, now]) => [
    applied('a', path, name, before, saved),
    replaced('a', path, name, now),
    applied('a', path, name, {}),
  ],
  'a merge patch': (path, name, [before, now]) => [
    applied('a', path, name, before),
    merge(`${path}?fieldManager=b`, { spec: null }),
    merge(`${path}?fieldManager=c`, { spec: now ?? null }),
  ],
  'a JSON patch': (path, name, [before, now]) => [
    applied('a', path, name, before),
    jsonPatch(`${path}?fieldManager=b`, [
      now === undefined ? { op: 'remove', path: '/spec' } : { op: 'replace', path: '/spec', value: now },
    ]),
  ],
  'its applier': (path, name, [before, now]) => [
    applied('a', path, name, before),
    applied('a', path, name, now),
    applied('a', path, name, before),
  ],
  'one of its two appliers, and by the other': (path, name, [before, now]) => [
    applied('a', path, name, before),
    applied('b', path, name, before),
    applied('a', path, name, now),
    applied('b', path, name, now),
  ],
}

const deployments = '/apis/apps/v1/namespaces/{ns}/deployments'
const deployment = (name: string, of: object, metadata: object = {}): object => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, ...metadata } },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }], ...of } },
  },
})
const container = (more: object): object => ({ containers: [{ name: 'c', image: 'i', ...more }] })

const pods: readonly (readonly [object, object])[] = [
  [{ nodeSelector: { x: 'y' } }, { nodeSelector: {} }],
  [{ nodeSelector: { x: 'y' } }, {}],
  [{ securityContext: { runAsUser: 1 } }, { securityContext: {} }],
  [{ volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }] }, { volumes: [{ name: 'v', emptyDir: {} }] }],
  [{ volumes: [{ name: 'v', emptyDir: {} }] }, { volumes: [] }],
  [container({ env: [{ name: 'e', value: 'x' }] }), container({ env: [] })],
  [container({ resources: { limits: { cpu: '1' } } }), container({ resources: { limits: {} } })],
  [container({ resources: { limits: { cpu: '1' } } }), container({})],
  [container({ args: ['x'] }), container({ args: [] })],
]

const maps: readonly (readonly [object, object])[] = [
  [{ data: { x: '1' } }, { data: {} }],
  [
    { data: { x: '1' }, labels: { l: 'x' } },
    { data: { x: '1' }, labels: {} },
  ],
  [{ data: { x: '1' }, annotations: { n: 'x' } }, { data: { x: '1' } }],
  [
    { data: { x: '1' }, finalizers: ['ex.io/x'] },
    { data: { x: '1' }, finalizers: [] },
  ],
]

/** Which managers own a map or a list after a write took its last entry or item. */
export const emptiedScenarios: readonly Scenario[] = [
  ...[
    { kind: 'with a schema', versions: typed },
    { kind: 'without a schema', versions: [version('v1')] },
  ].flatMap(({ kind, versions }) =>
    Object.entries(ways).map(([by, way]) => ({
      name: `managed fields: a map of a custom resource ${kind} is emptied by ${by}`,
      steps: [...defined(versions), ...emptied.flatMap((one, i) => way(`${games}/o${i}`, `o${i}`, one))],
    })),
  ),
  {
    name: 'managed fields: a map of a ConfigMap is emptied',
    steps: maps.flatMap(([before, now], i) => {
      const [b, u, s] = [`b${i}`, `u${i}`, `s${i}`]
      return [
        post(`${cms}?fieldManager=a`, configMap(u, before as Record<string, unknown>)),
        put(`${cms}/${u}?fieldManager=b`, configMap(u, now as Record<string, unknown>)),
        merge(`${cms}/${u}?fieldManager=c`, { data: null }),
        apply('a', `${cms}/${b}`, configMap(b, before as Record<string, unknown>)),
        put(`${cms}/${b}?fieldManager=b`, configMap(b, now as Record<string, unknown>)),
        apply('a', `${cms}/${s}`, configMap(s, before as Record<string, unknown>)),
        apply('b', `${cms}/${s}`, configMap(s, before as Record<string, unknown>)),
        apply('a', `${cms}/${s}`, configMap(s, now as Record<string, unknown>)),
        apply('b', `${cms}/${s}`, configMap(s, now as Record<string, unknown>)),
      ]
    }),
  },
  {
    name: 'managed fields: a map of a Deployment is emptied',
    steps: pods.flatMap(([before, now], i) => {
      const [b, u] = [`b${i}`, `u${i}`]
      return [
        quietly(post(`${deployments}?fieldManager=a`, deployment(u, before))),
        put(`${deployments}/${u}?fieldManager=b`, deployment(u, now)),
        apply('a', `${deployments}/${b}`, deployment(b, before)),
        put(`${deployments}/${b}?fieldManager=b`, deployment(b, now)),
        apply('a', `${deployments}/${b}`, deployment(b, now)),
      ]
    }),
  },
]
