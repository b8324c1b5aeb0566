import { apply, get, merge, nextSecond, post, put, quietly, request, type Scenario } from '../scenario.ts'
import { defined, game, games, version } from './shapes.ts'

const a = `${games}/a`

const text = { type: 'string' }
const named = { type: 'object', required: ['name'], properties: { name: text, value: text, n: { type: 'integer' } } }

/** A version of games with every kind of list and map. */
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        text,
        number: { type: 'integer' },
        flag: { type: 'boolean' },
        port: { 'x-kubernetes-int-or-string': true },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        atomicList: { type: 'array', items: text },
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        items: { type: 'array', items: named, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
        ports: {
          type: 'array',
          items: {
            type: 'object',
            required: ['port'],
            properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: text },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
        },
        map: { type: 'object', additionalProperties: text },
        objects: { type: 'object', additionalProperties: named },
        atomicMap: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
        nested: { type: 'object', properties: { a: text, b: { type: 'object', properties: { c: text } } } },
        byDefault: { type: 'string', default: 'x' },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: text,
        conditions: {
          type: 'array',
          items: { type: 'object', required: ['type'], properties: { type: text, status: text } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
        },
      },
    },
  },
}
const typed = [version('v1', { subresources: { status: {} }, schema: { openAPIV3Schema: schema } })]

const applied = (manager: string, spec: unknown, query = ''): ReturnType<typeof apply> =>
  apply(manager, a + query, game('a', spec))

/** Server-side apply to custom resources, by their schemas. */
export const applyCustomScenarios: readonly Scenario[] = [
  {
    name: 'apply to a custom resource without a schema',
    steps: [
      ...defined(),
      applied('me', { a: 1, list: [1], map: { x: 1, y: { z: 2 } }, empty: {}, none: null }),
      applied('you', { a: 1, map: { w: 1 } }),
      applied('me', { map: { y: {} } }),
      applied('me', {}),
      apply('me', a, { apiVersion: '{g}/v1', kind: 'Game', metadata: { name: 'a' } }),
      applied('me', { map: 'text' }),
      applied('me', { map: ['list'] }, '?force=true'),
      get(a),
    ],
  },
  {
    name: 'apply: lists that are maps',
    steps: [
      ...defined(typed),
      applied('me', { items: [{ name: 'b', value: '1' }, { name: 'a' }] }),
      applied('you', {
        items: [
          { name: 'c', n: 1 },
          { name: 'a', value: 'mine' },
        ],
      }),
      applied('me', { items: [{ name: 'a' }, { name: 'd' }, { name: 'b', value: '1' }] }),
      applied('me', { items: [{ name: 'a', value: 'other' }] }),
      applied('you', { items: [{ name: 'c', n: 2 }] }),
      applied('me', { items: [] }),
      applied('you', {}),
      get(a),
    ],
  },
  {
    name: 'apply: lists that are maps by two keys, one with a default',
    steps: [
      ...defined(typed),
      applied('me', {
        ports: [
          { port: 80, name: 'x' },
          { port: 80, protocol: 'UDP', name: 'y' },
        ],
      }),
      applied('you', { ports: [{ port: 80, protocol: 'TCP', name: 'z' }] }),
      applied('you', { ports: [{ port: 80, protocol: 'TCP', name: 'x' }, { port: 81 }] }),
      merge(`${a}?fieldManager=third`, { spec: { ports: [{ port: 80, name: 'x' }] } }),
      applied('me', { ports: [{ port: 82 }] }),
    ],
  },
  {
    name: 'apply: lists that are sets',
    steps: [
      ...defined(typed),
      applied('me', { set: ['b', 'a'] }),
      applied('you', { set: ['c', 'a'] }),
      applied('me', { set: ['a', 'd'] }),
      applied('you', { set: [] }),
      applied('me', {}),
      ...['xaybz bca', 'abcd dxb', 'axb ba', 'abc cx'].flatMap((orders, i) => {
        const [before = '', now = ''] = orders.split(' ')
        return [
          quietly(post(games, game(`o${i}`, { set: [...before] }))),
          apply('me', `${games}/o${i}`, game(`o${i}`, { set: [...now] })),
        ]
      }),
    ],
  },
  {
    name: 'apply: lists and maps that are atomic',
    steps: [
      ...defined(typed),
      applied('me', { atomicList: ['a', 'b'], atomicMap: { x: '1' } }),
      applied('you', { atomicList: ['a'], atomicMap: { y: '1' } }),
      applied('you', { atomicList: ['a'], atomicMap: { y: '1' } }, '?force=true'),
      applied('you', { atomicList: ['a'] }),
      applied('me', {}),
    ],
  },
  {
    name: 'apply: maps and nested objects',
    steps: [
      ...defined(typed),
      applied('me', { map: { x: '1' }, objects: { o: { name: 'a', value: '1' } }, nested: { a: '1', b: { c: '2' } } }),
      applied('you', { map: { y: '1' }, objects: { o: { name: 'a', n: 1 } }, nested: { b: {} } }),
      applied('me', { map: {}, objects: {}, nested: { a: '1' } }),
      applied('you', {}),
      applied('me', {}),
      get(a),
    ],
  },
  {
    name: 'apply: defaults belong to nobody',
    steps: [
      ...defined(typed),
      applied('me', { text: 'x' }),
      applied('you', { byDefault: 'y' }),
      applied('me', { byDefault: 'x' }),
      applied('you', {}),
      post(games, game('b', {})),
      apply('me', `${games}/b`, game('b', { byDefault: 'y' })),
    ],
  },
  {
    name: 'apply: configurations that are not of the schema',
    steps: [
      ...defined(typed),
      applied('me', { unknown: 1 }),
      applied('me', { text: 1 }),
      applied('me', { number: 'x' }),
      applied('me', { flag: 'x' }),
      applied('me', { flag: 1, number: true }),
      applied('me', { port: [1] }),
      applied('me', { items: { name: 'x' } }),
      applied('me', { items: [{ value: 'x' }] }),
      applied('me', { items: [{ name: 'x' }, { name: 'x' }] }),
      applied('me', { items: ['x'] }),
      applied('me', { items: [null] }),
      applied('me', { set: ['x', 'x'] }),
      applied('me', { set: [{}] }),
      applied('me', { set: [['x']] }),
      applied('me', { nested: 'x' }),
      applied('me', { map: { a: 1 } }),
      applied('me', { any: { a: { b: [1] } }, port: 'x', number: 2 }),
      apply('me', a, { ...(game('a') as object), bogus: {} }),
    ],
  },
  {
    name: 'apply to the status of a custom resource',
    steps: [
      ...defined(typed),
      applied('me', { text: 'x' }),
      apply('controller', `${a}/status`, {
        ...(game('a', { text: 'ignored' }) as object),
        status: { phase: 'on', conditions: [{ type: 'Ready', status: 'True' }] },
      }),
      apply('other', `${a}/status`, {
        apiVersion: '{g}/v1',
        kind: 'Game',
        metadata: { name: 'a', labels: { l: 'x' } },
        status: {
          conditions: [
            { type: 'Ready', status: 'False' },
            { type: 'Synced', status: 'True' },
          ],
        },
      }),
      apply('other', `${a}/status`, {
        apiVersion: '{g}/v1',
        kind: 'Game',
        metadata: { name: 'a' },
        status: { conditions: [{ type: 'Synced', status: 'True' }] },
      }),
      nextSecond,
      apply('me', a, { ...(game('a', { text: 'x' }) as object), status: { phase: 'off' } }),
      apply('controller', `${a}/status`, { apiVersion: '{g}/v1', kind: 'Game', metadata: { name: 'a' } }),
      apply('controller', `${games}/none/status`, {
        apiVersion: '{g}/v1',
        kind: 'Game',
        metadata: { name: 'none' },
        status: { phase: 'on' },
      }),
      get(a),
    ],
  },
  {
    name: 'apply to a custom resource after updates of others',
    steps: [
      ...defined(typed),
      post(games, game('a', { items: [{ name: 'a' }, { name: 'b', value: '1' }], set: ['x'], nested: { a: '1' } }), {
        save: { rv: 'metadata.resourceVersion' },
      }),
      applied('me', { items: [{ name: 'b', value: '2' }], set: ['y'], nested: { a: '2' } }),
      applied('me', { items: [{ name: 'b', value: '2' }], set: ['y'], nested: { a: '2' } }, '?force=true'),
      quietly(merge(a, { spec: { items: null } })),
      get(a),
      put(a, game('a', { items: [{ name: 'a' }] }, { resourceVersion: '{rv}' })),
      merge(a, { spec: { set: ['x', 'x'] } }),
    ],
  },
  {
    name: 'custom resources in YAML',
    steps: [
      ...defined(typed),
      ...['', '?fieldValidation=Strict', '?fieldValidation=Ignore'].map((query, i) =>
        request(
          'POST',
          games + query,
          `apiVersion: "{g}/v1"\nkind: Game\nmetadata:\n  name: y${i}\nspec:\n  text: x\n  text: z\n  bogus: 1\n`,
          { headers: { 'content-type': 'application/yaml' } },
        ),
      ),
      request('POST', games, 'metadata: {}', { headers: { 'content-type': 'application/yaml' } }),
    ],
  },
  {
    name: 'apply: metadata of a custom resource',
    steps: [
      ...defined(),
      apply('me', a, game('a', {}, { labels: { l: 'x' }, finalizers: ['plain'], annotations: { n: 'x' } })),
      apply('you', a, game('a', {}, { labels: { l: 'y' } })),
      apply('me', a, game('a', {}, { labels: { l: 1 } })),
      apply('me', a, game('a', {}, { bogus: 1 })),
      apply('me', a, game('a', {}, { generation: 7, creationTimestamp: '2020-01-01T00:00:00Z' })),
      apply('me', a, game('a', {}, { name: 'b' })),
      apply('me', a, game('a', {}, { namespace: 'other' })),
      get(a),
    ],
  },
]
