import { apply, collect, del, get, jsonPatch, merge, post, put, quietly, type Scenario, watch } from '../scenario.ts'
import {
  asMetadata,
  asMetadataList,
  asTable,
  cms,
  columnDescriptions,
  configMap,
  defined,
  filled,
  game,
  games,
  namespaces,
  version,
} from './shapes.ts'

const a = `${cms}/a`
const from = (agent: string): { headers: Record<string, string> } => ({ headers: { 'user-agent': agent } })
const withStatus = [version('v1', { subresources: { status: {}, scale: scalePaths() } })]

const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'

function applyScale(manager: string, replicas: number, query = ''): ReturnType<typeof apply> {
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas } }
  return apply(manager, `${games}/a/scale${query}`, scale)
}

function scalePaths(): Record<string, string> {
  return { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
}

/** What creates, updates and patches leave in `managedFields`. */
export const managedScenarios: readonly Scenario[] = [
  {
    name: 'managed fields: fieldManager, or the client, names the manager',
    steps: [
      post(cms, configMap('a'), from('kubectl/v1.37 (linux)')),
      post(cms, configMap('b'), from('a client of mine')),
      post(cms, configMap('c'), from('/x')),
      post(`${cms}?fieldManager=me`, configMap('d'), from('kubectl/v1')),
      post(cms, configMap('e'), from(`${'x'.repeat(200)}/1`)),
    ],
  },
  {
    name: 'managed fields of a create',
    steps: [
      post(
        cms,
        configMap('a', {
          labels: { l: 'x' },
          annotations: {},
          finalizers: ['ex.io/a', 'ex.io/b'],
          ownerReferences: [{ apiVersion: 'none.example.com/v1', kind: 'None', name: 'x', uid: 'u' }],
        }),
      ),
      post(cms, { metadata: { generateName: 'gen-' }, immutable: false, binaryData: { b: 'ZA==' } }),
      post(cms, { metadata: { name: 'empty' }, data: {} }),
      post(cms, configMap('given', { managedFields: [{ manager: 'x', operation: 'Update' }] })),
      post(cms, configMap('deleted', { deletionTimestamp: '2020-01-01T00:00:00Z', uid: 'x' })),
    ],
  },
  {
    name: 'managed fields of updates',
    steps: [
      ...filled('a'),
      put(`${a}?fieldManager=one`, configMap('a', { data: { a: '1', b: '2' }, labels: { l: 'x' } })),
      put(`${a}?fieldManager=two`, configMap('a', { data: { a: '2', b: '2' }, labels: { l: 'x', m: 'y' } })),
      put(`${a}?fieldManager=one`, configMap('a', { data: { b: '2' } })),
      put(`${a}?fieldManager=one`, { metadata: { name: 'a' } }),
      get(a),
    ],
  },
  {
    name: 'managed fields of patches',
    steps: [
      // Managers are in the order of seconds, and of one second by name: the last step needs one order for both.
      quietly(post(`${cms}?fieldManager=first`, configMap('a'))),
      merge(`${a}?fieldManager=one`, { data: { b: '2' } }),
      merge(`${a}?fieldManager=two`, { data: { a: null } }),
      jsonPatch(`${a}?fieldManager=three`, [{ op: 'add', path: '/data/c', value: '3' }]),
      merge(`${a}?fieldManager=one`, { data: { c: '3' } }),
      merge(`${a}?fieldManager=one`, { data: { c: '4' } }),
      merge(`${a}?fieldManager=three`, {}),
      jsonPatch(`${a}?fieldManager=three`, [{ op: 'remove', path: '/metadata/managedFields' }]),
      jsonPatch(`${a}?fieldManager=three`, [{ op: 'remove', path: '/metadata/managedFields/0' }]),
    ],
  },
  {
    name: 'managed fields that a client sets',
    steps: [
      ...filled('a'),
      merge(a, { metadata: { managedFields: [{ manager: 'x', operation: 'Other', apiVersion: 'v1' }] } }),
      merge(a, { metadata: { managedFields: [{ manager: 'x', operation: 'Update' }] } }),
      merge(a, { metadata: { managedFields: [{ manager: 'x', operation: 'Update', apiVersion: 'v1' }] } }),
      merge(a, {
        metadata: {
          managedFields: [
            { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { bad: {} } },
          ],
        },
      }),
      merge(a, {
        metadata: {
          managedFields: [
            {
              manager: 'x',
              operation: 'Apply',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:a': {}, 'z:new': {} }, 'f:metadata': { 'f:finalizers': { 'v: "a"': {} } } },
            },
          ],
        },
      }),
      merge(a, { metadata: { managedFields: null } }),
      merge(a, { metadata: { managedFields: [] } }),
      merge(a, { data: { b: '2' } }),
      get(a),
    ],
  },
  {
    name: 'managed fields are cleared by one empty entry',
    steps: [
      ...filled('a', 'b'),
      merge(a, { metadata: { managedFields: [{}] } }),
      merge(a, { data: { b: '2' } }),
      put(`${cms}/b`, configMap('b', { managedFields: [{}], data: { a: '2' } })),
      put(`${cms}/b`, configMap('b', { data: { a: '3' } })),
    ],
  },
  {
    name: 'managed fields and writes that change nothing',
    steps: [
      ...filled('a'),
      put(`${a}?fieldManager=one`, configMap('a')),
      merge(`${a}?fieldManager=two`, { data: { a: '1' } }),
      put(`${a}?fieldManager=one&dryRun=All`, configMap('a', { data: { a: '2' } })),
      get(a),
    ],
  },
  {
    name: 'managed fields: more than ten managers of updates become one',
    steps: [
      // The eldest become one, and of one second those first by name: names are in the order of time here.
      quietly(post(`${cms}?fieldManager=first`, configMap('a'))),
      ...Array.from({ length: 12 }, (_, i) =>
        merge(`${a}?fieldManager=m${String(i).padStart(2, '0')}`, { data: { [`k${i}`]: 'x' } }),
      ),
      get(a),
    ],
  },
  {
    name: 'managed fields of a custom resource and its status',
    steps: [
      ...defined(withStatus),
      post(games, game('a', { players: 2, list: [1, 2], map: { x: { y: 1 } } }, { labels: { l: 'x' } })),
      merge(`${games}/a/status?fieldManager=controller`, {
        status: { phase: 'on', conditions: [{ type: 'Ready' }] },
        spec: { ignored: true },
        metadata: { labels: { m: 'x' } },
      }),
      merge(`${games}/a?fieldManager=me`, { status: { phase: 'off' }, spec: { map: { x: { z: 1 } } } }),
      merge(`${games}/a/status?fieldManager=me`, { status: { phase: 'off' } }),
      merge(`${games}/a/status?fieldManager=me`, { status: null }),
      merge(`${games}/a/status?fieldManager=me`, { metadata: { managedFields: [{}] }, status: { a: 1 } }),
      post(games, { ...(game('b') as object), status: { phase: 'set' } }),
      get(`${games}/a`),
    ],
  },
  {
    name: 'managed fields of an update of the scale',
    steps: [
      ...defined(withStatus),
      post(games, game('a', { replicas: 1 })),
      merge(`${games}/a/scale?fieldManager=scaler`, { spec: { replicas: 3 } }),
      get(`${games}/a`),
      merge(`${games}/a?fieldManager=me`, { spec: { replicas: 4 } }),
    ],
  },
  {
    name: 'managed fields of an apply of the scale',
    steps: [
      ...defined(withStatus),
      post(games, game('a', { replicas: 1 })),
      applyScale('scaler', 3),
      applyScale('scaler', 3, '?force=true'),
      get(`${games}/a`),
      apply('me', `${games}/a`, game('a', { replicas: 4 })),
      apply('me', `${games}/a?force=true`, game('a', { replicas: 4 })),
      applyScale('scaler', 4),
      get(`${games}/a`),
      merge(`${games}/a/scale?fieldManager=other`, { spec: { replicas: 5 } }),
      get(`${games}/a`),
    ],
  },
  {
    name: 'managed fields of several versions',
    steps: [
      ...defined([version('v1', { subresources: { status: {} } }), version('v2', { subresources: { status: {} } })]),
      post(games, game('a', { n: 1, m: 1 })),
      merge('/apis/{g}/v2/namespaces/{ns}/games/a', { spec: { n: 2 } }),
      merge('/apis/{g}/v2/namespaces/{ns}/games/a/status', { status: { s: 2 } }),
      merge(`${games}/a`, { spec: { n: 3 } }),
      apply('me', '/apis/{g}/v2/namespaces/{ns}/games/a', game('a', { n: 3, m: 1 }, {}, 'v2')),
      apply('me', `${games}/a`, game('a', { m: 1 })),
    ],
  },
  {
    name: 'managed fields of the bindings of a policy',
    steps: [
      post(bindings, { metadata: { name: '{ns}' }, spec: { policyName: 'p', validationActions: ['Deny', 'Warn'] } }),
      merge(`${bindings}/{ns}?fieldManager=me`, { spec: { validationActions: ['Audit', 'Deny'] } }),
      merge(`${bindings}/{ns}?fieldManager=me`, { spec: { validationActions: ['Warn'] } }),
      apply('other', `${bindings}/{ns}`, {
        ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding' },
        ...{ metadata: { name: '{ns}' }, spec: { validationActions: ['Audit'] } },
      }),
      del(`${bindings}/{ns}`),
    ],
  },
  {
    name: 'managed fields of a namespace and its status',
    steps: [
      post(namespaces, { metadata: { name: '{ns}-m', labels: { l: 'x' } }, spec: { finalizers: ['ex.io/x'] } }),
      merge(`${namespaces}/{ns}-m/status`, {
        status: { conditions: [{ type: 'X', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }] },
        metadata: { annotations: { n: 'x' } },
      }),
      put(`${namespaces}/{ns}-m/finalize`, { metadata: { name: '{ns}-m' }, spec: { finalizers: ['ex.io/mine'] } }),
    ],
  },
  {
    name: 'managed fields in lists, watches, metadata and Tables',
    steps: [
      watch('w', `${cms}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Da`),
      ...filled('a'),
      quietly(merge(`${a}?fieldManager=me`, { data: { b: '2' } })),
      collect('w', { events: 2 }),
      get(`${cms}?fieldSelector=metadata.name%3Da`),
      get(a, { headers: asMetadata }),
      get(a, { headers: asTable }),
      get(a, { headers: { accept: 'application/json;drop=metadata.managedFields,application/json' } }),
      get(cms, {
        headers: {
          accept: `${asMetadataList.accept};drop=metadata.managedFields,application/json`,
        },
      }),
      del(a),
    ],
    except: columnDescriptions,
  },
]
