import {
  apply,
  del,
  get,
  jsonPatch,
  merge,
  post,
  put,
  quietly,
  request,
  type Scenario,
  strategic,
} from '../scenario.ts'
import { cms, configMap, filled, namespaces, secrets } from './shapes.ts'

const a = `${cms}/a`
const create = (more: Record<string, unknown>): Scenario['steps'] => [post(cms, configMap('a', more))]
const labelled = (key: string, value: string): Scenario['steps'] => create({ labels: { [key]: value } })

/** If the result of a patch can't be decoded, the refusal quotes the object, with its managedFields and its order of keys. */
const patchedObject = (step: number): string[] => [`${step}.body.message`, `${step}.body.details.causes.0.message`]

const metadataList = { headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' } }

export const writeScenarios: readonly Scenario[] = [
  {
    name: 'bodies and patches that are no objects of the kind',
    steps: [
      ...filled('a'),
      post(cms, 'null'),
      post(cms, { kind: 'ConfigMap', apiVersion: 5, metadata: { name: 's' } }),
      post(cms, { kind: ['x'], apiVersion: 'v1', metadata: { name: 's' } }),
      merge(`${cms}/a`, { kind: 'Pod' }),
      merge(`${cms}/a`, { kind: 'Nope' }),
      merge(`${cms}/a`, { apiVersion: 'v2' }),
      strategic(`${cms}/a`, { kind: 'Pod' }),
      jsonPatch(`${cms}/a`, [{ op: 'replace', path: '/kind', value: 'Pod' }]),
      jsonPatch(`${cms}/a`, [5]),
      jsonPatch(`${cms}/a`, ['x', {}]),
      jsonPatch(`${cms}/a`, [null]),
    ],
    except: ['*.body.details.causes.0.message', '*.body.message'],
  },
  {
    name: 'an update can not delete',
    steps: [
      ...filled('a'),
      quietly(post(cms, configMap('f', { finalizers: ['ex.io/f'] }))),
      merge(`${cms}/a`, { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } }),
      merge(`${cms}/a`, { metadata: { deletionGracePeriodSeconds: 5 } }),
      put(`${cms}/a`, configMap('a', { deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 })),
      apply('m', `${cms}/a`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', deletionGracePeriodSeconds: 3 },
      }),

      del(`${cms}/f`),
      merge(`${cms}/f`, { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } }),
      merge(`${cms}/f`, { metadata: { deletionGracePeriodSeconds: 5 } }),
      merge(`${cms}/f`, { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } }),
    ],
  },
  {
    name: 'options of a delete in its query',
    steps: [
      ...['a', 'b', 'c', 'd', 'e'].map(name => quietly(post(cms, configMap(name)))),
      del(`${cms}/a?uid=other`),
      del(`${cms}/a?resourceVersion=1`),
      del(`${cms}/a?uid=&resourceVersion=`),
      del(`${cms}/b?orphanDependents=true`),
      del(`${cms}/c?orphanDependents=true&propagationPolicy=Foreground`),
      del(`${cms}/c?orphanDependents=false`),
      del(`${cms}/d?propagationPolicy=`),
      del(`${cms}/e?uid=other`, { kind: 'DeleteOptions', apiVersion: 'v1' }),
      del(`${cms}/e?dryRun=All&dryRun=All`),
      del(`${cms}?uid=other`),
    ],
  },
  {
    name: 'create, read, update and delete a ConfigMap',
    steps: [
      post(cms, configMap('a', { labels: { l: 'x' } })),
      get(a),
      put(a, configMap('a', { data: { a: '2' } })),
      get(a),
      del(a),
      get(a),
      del(a),
    ],
  },
  { name: 'create without kind and apiVersion', steps: [post(cms, { metadata: { name: 'a' }, data: { k: 'v' } })] },
  { name: 'create of an empty object', steps: [post(cms, { metadata: { name: 'a' } }), get(a), get(cms)] },
  { name: 'create what exists', steps: [...filled('a'), post(cms, configMap('a'))] },
  {
    name: 'create what is being deleted',
    steps: [post(cms, configMap('a', { finalizers: ['ex.io/f'] })), del(a), post(cms, configMap('a'))],
  },
  {
    name: 'create in a namespace that does not exist',
    steps: [
      post('/api/v1/namespaces/absent-{ns}/configmaps', configMap('a')),
      get('/api/v1/namespaces/absent-{ns}/configmaps'),
    ],
  },
  { name: 'create in another namespace than the path says', steps: create({ namespace: 'other' }) },
  { name: 'create with a resourceVersion', steps: create({ resourceVersion: '5' }) },
  {
    name: 'create with uid, generation and times of its own',
    steps: create({
      uid: 'x',
      generation: 7,
      creationTimestamp: '2020-01-01T00:00:00Z',
      deletionTimestamp: '2020-01-01T00:00:00Z',
      selfLink: '/x',
    }),
  },
  { name: 'create with an upper-case name', steps: [post(cms, configMap('Upper'))] },
  { name: 'create with a name of 254 characters', steps: [post(cms, configMap('x'.repeat(254)))] },
  { name: 'create with a name with a slash', steps: [post(cms, configMap('a/b'))] },
  { name: 'create without a name', steps: [post(cms, { metadata: {} }), post(cms, {})] },
  {
    name: 'create with a generated name',
    steps: [
      post(cms, { metadata: { generateName: 'gen-' } }),
      post(cms, { metadata: { generateName: 'Gen_' } }),
      post(cms, { metadata: { generateName: 'gen-', name: 'given' } }),
    ],
  },
  { name: 'dry run of a create', steps: [post(`${cms}?dryRun=All`, configMap('a')), get(a)] },
  { name: 'dry run of something else', steps: [post(`${cms}?dryRun=Some`, configMap('a'))] },
  {
    name: 'dry run of update, patch and delete',
    steps: [
      ...filled('a'),
      put(`${a}?dryRun=All`, configMap('a', { data: { a: '2' } })),
      merge(`${a}?dryRun=All`, { data: { b: '1' } }),
      del(`${a}?dryRun=All`),
      get(a),
    ],
  },
  { name: 'a label key with a bad character', steps: labelled('bad key', 'v') },
  { name: 'a label key with two slashes', steps: labelled('a/b/c', 'v') },
  { name: 'a label key with an empty prefix', steps: labelled('/c', 'v') },
  { name: 'a label key with an upper-case prefix', steps: labelled('Ex.io/c', 'v') },
  { name: 'an empty label key', steps: labelled('', 'v') },
  { name: 'a label key of 64 characters', steps: labelled('x'.repeat(64), 'v') },
  { name: 'a label value with a bad character', steps: labelled('k', 'no spaces') },
  { name: 'a label value of 64 characters', steps: labelled('k', 'x'.repeat(64)) },
  { name: 'an annotation with a bad key', steps: create({ annotations: { 'bad key': 'v', 'UPPER.io/x': 'v' } }) },
  { name: 'annotations that are too large', steps: create({ annotations: { k: 'x'.repeat(262_144) } }) },
  { name: 'a bad finalizer', steps: create({ finalizers: ['bad finalizer'] }) },
  { name: 'a finalizer without a domain', steps: create({ finalizers: ['orphanage'] }) },
  {
    name: 'an owner without a name',
    steps: create({ ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', uid: 'x' }] }),
  },
  { name: 'an owner without anything', steps: create({ ownerReferences: [{}] }) },
  {
    name: 'two controlling owners',
    steps: create({
      ownerReferences: ['x', 'y'].map(uid => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: uid,
        uid,
        controller: true,
      })),
    }),
  },
  {
    name: 'an event as an owner',
    steps: create({ ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'x' }] }),
  },
  {
    name: 'several mistakes at once',
    steps: [post(cms, configMap('Bad', { labels: { 'bad key': 'no spaces' }, annotations: { '/': '' } }))],
  },
  { name: 'a ConfigMap with a bad data key', steps: create({ data: { 'bad key': 'v' } }) },
  {
    name: 'a body that is no JSON',
    steps: [post(cms, 'not json'), post(cms, '{"a":'), post(cms, ''), post(cms, '[]'), post(cms, '"text"')],
    except: ['0.body.message'],
  },
  {
    name: 'labels that are no map of texts',
    steps: [
      post(cms, { metadata: { name: 'a', labels: { l: 1 } } }),
      post(cms, { metadata: { name: 'a', labels: [] } }),
    ],
  },
  { name: 'a name that is no text', steps: [post(cms, { metadata: { name: 1 } })] },
  { name: 'metadata that is no object', steps: [post(cms, { metadata: 'x' })] },
  {
    name: 'another kind',
    steps: [
      post(cms, { ...configMap('a'), data: {}, kind: 'Secret' }),
      post(cms, { ...configMap('a'), kind: 'Nonsense' }),
    ],
  },
  {
    name: 'another apiVersion',
    steps: [
      post(cms, { ...configMap('a'), apiVersion: 'v2' }),
      post(cms, { ...configMap('a'), apiVersion: 'apps/v1' }),
    ],
  },
  {
    name: 'an unknown content type',
    steps: [
      request('POST', cms, configMap('a'), { headers: { 'content-type': 'text/plain' } }),
      request('POST', cms, configMap('a'), { headers: { 'content-type': 'application/xml' } }),
    ],
  },
  {
    name: 'metadata of null values',
    steps: [
      post(cms, { metadata: { name: 'a', labels: null, annotations: null, finalizers: null, ownerReferences: null } }),
    ],
  },
  {
    name: 'empty labels, annotations and lists',
    steps: [
      post(cms, {
        metadata: { name: 'a', labels: {}, annotations: {}, finalizers: [], ownerReferences: [] },
        data: {},
      }),
      get(a),
    ],
  },
  {
    name: 'update of a stale state',
    steps: [
      post(cms, configMap('a'), { save: { rv: 'metadata.resourceVersion' } }),
      put(a, configMap('a', { data: { a: '2' } })),
      put(a, configMap('a', { resourceVersion: '{rv}' })),
      merge(a, { metadata: { resourceVersion: '{rv}' } }),
    ],
  },
  { name: 'update of what is not there', steps: [put(a, configMap('a')), merge(a, { data: {} }), jsonPatch(a, [])] },
  {
    name: 'update with another name',
    steps: [...filled('a'), put(a, configMap('b')), merge(a, { metadata: { name: 'b' } })],
  },
  {
    name: 'update with another namespace',
    steps: [
      ...filled('a'),
      put(a, configMap('a', { namespace: 'other' })),
      merge(a, { metadata: { namespace: 'other' } }),
    ],
  },
  {
    name: 'update with another uid',
    steps: [
      ...filled('a'),
      put(a, configMap('a', { uid: '00000000-0000-0000-0000-000000000000' })),
      merge(a, { metadata: { uid: '00000000-0000-0000-0000-000000000000' } }),
    ],
  },
  { name: 'update without a name', steps: [...filled('a'), put(a, { data: { a: '3' } })] },
  {
    name: 'update that changes nothing',
    steps: [...filled('a'), put(a, configMap('a')), merge(a, {}), jsonPatch(a, []), get(a)],
  },
  {
    name: 'update that takes labels away',
    steps: [post(cms, configMap('a', { labels: { l: 'x' }, annotations: { n: 'y' } })), put(a, configMap('a')), get(a)],
  },
  {
    name: 'update with a bad resourceVersion',
    steps: [...filled('a'), put(a, configMap('a', { resourceVersion: 'abc' }))],
  },
  {
    name: 'update with another creationTimestamp',
    steps: [
      ...filled('a'),
      put(a, configMap('a', { creationTimestamp: '2020-01-01T00:00:00Z' })),
      merge(a, { metadata: { creationTimestamp: null } }),
    ],
  },
  {
    name: 'update with another kind',
    steps: [...filled('a'), put(a, { ...configMap('a'), data: {}, kind: 'Secret' })],
  },
  {
    name: 'merge patches',
    steps: [
      ...filled('a'),
      merge(a, { data: { b: '2' }, metadata: { labels: { l: 'x' } } }),
      merge(a, { data: { a: null } }),
      merge(a, { data: null }),
      merge(a, { metadata: { labels: null } }),
      merge(a, []),
      merge(a, 'null'),
      merge(a, 'no json'),
      merge(a, { data: { n: 1 } }),
    ],
    except: patchedObject(7),
  },
  {
    name: 'JSON patches',
    steps: [
      ...filled('a'),
      jsonPatch(a, [{ op: 'add', path: '/data/b', value: '2' }]),
      jsonPatch(a, [
        { op: 'test', path: '/data/b', value: '2' },
        { op: 'replace', path: '/data/b', value: '3' },
      ]),
      jsonPatch(a, [
        { op: 'copy', from: '/data/b', path: '/data/c' },
        { op: 'move', from: '/data/b', path: '/data/d' },
      ]),
      jsonPatch(a, [{ op: 'remove', path: '/data/a' }]),
    ],
  },
  {
    name: 'JSON patches that fail',
    steps: [
      ...filled('a'),
      jsonPatch(a, [{ op: 'test', path: '/data/a', value: 'other' }]),
      jsonPatch(a, [{ op: 'remove', path: '/data/none' }]),
      jsonPatch(a, [{ op: 'replace', path: '/none/none', value: 1 }]),
      jsonPatch(a, [{ op: 'add', path: '/none/none', value: 1 }]),
      jsonPatch(a, [{ op: 'copy', from: '/none', path: '/data/x' }]),
      jsonPatch(a, { op: 'add' }),
      jsonPatch(a, [{ op: 'nonsense', path: '/data/a' }]),
      jsonPatch(a, [{ op: 'add', value: 1 }]),
      jsonPatch(a, 'no json'),
      jsonPatch(a, [{ op: 'add', path: '/data/n', value: 1 }]),
    ],
    except: patchedObject(9),
  },
  {
    name: 'a patch of an unknown content type',
    steps: [
      ...filled('a'),
      request('PATCH', a, { data: {} }),
      request('PATCH', a, { data: {} }, { headers: { 'content-type': 'text/plain' } }),
    ],
  },
  {
    name: 'delete preconditions',
    steps: [
      post(cms, configMap('a'), { save: { uid: 'metadata.uid', rv: 'metadata.resourceVersion' } }),
      del(a, { preconditions: { uid: 'other' } }),
      del(a, { preconditions: { resourceVersion: '1' } }),
      del(a, { preconditions: { uid: '{uid}', resourceVersion: '{rv}' } }),
    ],
  },
  {
    name: 'delete options',
    steps: [
      ...filled('a', 'b', 'c', 'd'),
      del(a, { propagationPolicy: 'Nonsense' }),
      del(`${a}?propagationPolicy=Background`),
      del(`${cms}/b`, {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Background',
        gracePeriodSeconds: 0,
      }),
      del(`${cms}/c`, { orphanDependents: false, propagationPolicy: 'Background' }),
      del(`${cms}/c`, 'no json'),
      del(`${cms}/c`, []),
      del(`${cms}/c?gracePeriodSeconds=abc`),
      del(`${cms}/d`, { dryRun: ['All'] }),
      del(`${cms}/d`, { dryRun: ['Some'] }),
      get(cms),
    ],
    except: ['4.body.message'],
  },
  {
    name: 'finalizers hold what is deleted',
    steps: [
      post(cms, configMap('a', { finalizers: ['ex.io/one', 'ex.io/two'] })),
      del(a),
      del(a),
      get(a),
      merge(a, { data: { still: 'writable' } }),
      merge(a, { metadata: { finalizers: ['ex.io/one', 'ex.io/three'] } }),
      merge(a, { metadata: { finalizers: ['ex.io/one'] } }),
      merge(a, { metadata: { deletionTimestamp: null } }),
      merge(a, { metadata: { finalizers: null } }),
      get(a),
    ],
  },
  {
    name: 'a finalizer taken away by an update',
    steps: [post(cms, configMap('a', { finalizers: ['ex.io/one'] })), quietly(del(a)), put(a, configMap('a')), get(a)],
  },
  {
    name: 'delete in the foreground and orphaning mark what they delete',
    steps: [
      post(cms, configMap('a', { finalizers: ['ex.io/one'] })),
      del(a, { propagationPolicy: 'Foreground' }),
      post(cms, configMap('b', { finalizers: ['ex.io/one'] })),
      del(`${cms}/b`, { propagationPolicy: 'Orphan' }),
    ],
  },
  {
    name: 'delete a collection',
    steps: [
      quietly(post(cms, configMap('a', { labels: { l: 'x' } }))),
      ...filled('b', 'c'),
      quietly(post(cms, configMap('f', { finalizers: ['ex.io/one'] }))),
      del(`${cms}?labelSelector=l=x`),
      del(`${cms}?fieldSelector=metadata.name=b`),
      del(`${cms}?labelSelector=none=none`),
      del(`${cms}/`),
      get(cms),
    ],
  },
  {
    name: 'delete a collection in pages, and answered as metadata',
    steps: [
      ...filled('a', 'b', 'c', 'd', 'e', 'f'),
      quietly(post(cms, configMap('l', { labels: { l: 'x' } }))),
      quietly(post(cms, configMap('m', { labels: { l: 'x' } }))),
      del(`${cms}?limit=2`),
      del(`${cms}?labelSelector=l=x&limit=1`),
      get(cms),
      del(`${cms}?limit=1`, undefined, metadataList),
      del(`${cms}?limit=9`, { dryRun: ['All'] }, metadataList),
      del(`${cms}?limit=2`, undefined, metadataList),
      get(cms),
      del(cms, undefined, { headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' } }),
    ],
  },
  {
    name: 'secrets',
    steps: [
      post(secrets, { metadata: { name: 'a' }, stringData: { k: 'value' }, data: { d: 'ZA==' } }),
      merge(`${secrets}/a`, { stringData: { k: 'other' } }),
      get(secrets),
      put(`${secrets}/a`, { metadata: { name: 'a' }, type: 'Other' }),
      del(`${secrets}/a`),
      post(secrets, { metadata: { name: 'b' }, data: { d: 'no base64!' } }),
    ],
  },
  {
    name: 'immutable ConfigMaps and Secrets',
    steps: [
      post(cms, { ...configMap('a'), immutable: true }),
      merge(a, { data: { a: '2' } }),
      merge(a, { immutable: false }),
      merge(a, { immutable: null }),
      merge(a, { metadata: { labels: { l: 'x' } } }),
      post(secrets, { metadata: { name: 'a' }, immutable: true, data: { a: 'ZA==' } }),
      merge(`${secrets}/a`, { data: { a: 'ZZ==' } }),
      merge(`${secrets}/a`, { data: { a: 'ZQ==' }, immutable: false }),
    ],
  },
  {
    name: 'namespaces',
    steps: [
      post(namespaces, { metadata: { name: '{ns}-x', labels: { l: 'x' } } }),
      get(`${namespaces}/{ns}-x`),
      post(namespaces, { metadata: { name: 'Bad.Name' } }),
      post(namespaces, { metadata: { name: '{ns}-x' } }),
      merge(`${namespaces}/{ns}-x`, { metadata: { labels: { m: 'y' } } }),
      merge(`${namespaces}/{ns}-x`, { spec: { finalizers: [] } }),
      merge(`${namespaces}/{ns}-x`, { metadata: { labels: { 'kubernetes.io/metadata.name': null } } }),
      merge(`${namespaces}/{ns}-x/status`, { status: { phase: 'Terminating' }, metadata: { labels: { z: 'z' } } }),
      put(`${namespaces}/{ns}-x/finalize`, {
        metadata: { name: '{ns}-x' },
        spec: { finalizers: ['ex.io/mine', 'kubernetes'] },
      }),
      del(namespaces),
    ],
  },
]
