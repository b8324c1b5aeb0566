import { apply, get, merge, nextSecond, post, quietly, type Scenario, type Step, wait } from '../scenario.ts'
import { asTable, cms, columnDescriptions, configMap, crds, gameDefinition, version } from './shapes.ts'

const core = '/api/v1/namespaces/{ns}'
const table = { headers: asTable }
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** A ConfigMap as `kubectl apply` makes it, with the configuration in its annotation. */
const applied = (name: string, data: Record<string, string>): Step => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { annotations: {}, name, namespace: '{ns}' }, data }
  const annotations = { [lastApplied]: `${JSON.stringify(config)}\n` }
  return quietly(post(`${cms}?fieldManager=kubectl-client-side-apply`, configMap(name, { annotations, data })))
}
const config = (name: string, data: Record<string, string>, metadata: Record<string, unknown> = {}): unknown => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

/** A schema with all that is published otherwise than it is written. */
const rich = {
  description: 'A game.',
  type: 'object',
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string', description: 'one of our own' },
    metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 10 } } },
    spec: {
      type: 'object',
      properties: {
        title: {
          type: 'string',
          default: 'ab',
          minLength: 2,
          pattern: '^a',
          enum: ['ab', 'ac'],
          example: 'ab',
          title: 'T',
        },
        seats: { type: 'integer', format: 'int32', minimum: 1, exclusiveMinimum: true, nullable: true },
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        pod: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { apiVersion: { type: 'string' } },
        },
        players: {
          type: 'array',
          items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        labels: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
        free: { type: 'object', additionalProperties: true },
        empty: { type: 'object', default: {}, properties: {} },
        ruled: {
          type: 'object',
          properties: { i: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: "self.i == 'x'", message: 'm' }],
        },
      },
    },
  },
}

const made = (path: string, object: object, status?: object): Step[] => [
  quietly(post(path, object)),
  ...(status === undefined
    ? []
    : [quietly(merge(`${path}/${(object as { metadata: { name: string } }).metadata.name}/status`, { status }))]),
]

/** What kubectl needs besides objects: OpenAPI, its annotation in applies, Tables of what is rarely made, connections to Pods. */
export const kubectlScenarios: readonly Scenario[] = [
  {
    name: 'OpenAPI v3 of what is built in',
    steps: [
      ...['api', 'api/v1', 'apis', 'apis/apps', 'apis/apps/v1', 'apis/batch/v1', 'apis/apiextensions.k8s.io/v1'].map(
        path => get(`/openapi/v3/${path}`),
      ),
      get('/openapi/v3/apis/apps/v1?hash=other'),
      get('/openapi/v3/apis/nothing'),
      get('/openapi/v3/'),
      get('/openapi'),
      get('/openapi/v3/apis/apps/v1', { headers: { accept: 'text/html' } }),
    ],
  },
  {
    name: 'OpenAPI v3 of a definition',
    steps: [
      quietly(
        post(
          crds,
          gameDefinition([
            version('v1', {
              schema: { openAPIV3Schema: rich },
              subresources: {
                status: {},
                scale: { specReplicasPath: '.spec.seats', statusReplicasPath: '.status.seats' },
              },
            }),
            version('v2'),
          ]),
        ),
      ),
      wait('/openapi/v3/apis/{g}/v1', { status: 200 }),
      wait('/openapi/v3/apis/{g}/v2', { status: 200 }),
      get('/openapi/v3/apis/{g}/v1'),
      get('/openapi/v3/apis/{g}/v2'),
      get('/openapi/v3/apis/{g}'),
    ],
  },
  {
    name: 'OpenAPI v3 of a definition of the cluster',
    steps: [
      quietly(post(crds, gameDefinition([version('v1')], { scope: 'Cluster' }))),
      wait('/openapi/v3/apis/{g}/v1', { status: 200 }),
      get('/openapi/v3/apis/{g}/v1'),
    ],
  },
  {
    name: 'kubectl applies at the server what it applied as a client',
    steps: [
      applied('a', { k: '1', l: '2' }),
      apply('kubectl', `${cms}/a`, config('a', { k: '2' }, { labels: { 'a<b': 'x' } })),
      apply('kubectl', `${cms}/a`, config('a', { k: '2' }, { annotations: { note: 'a<b & c' } })),
      apply('kubectl', `${cms}/a`, config('a', { k: '3' }, { annotations: { [lastApplied]: 'mine' } })),
      applied('b', { k: '1' }),
      apply('other', `${cms}/b`, config('b', { k: '2' })),
      quietly(merge(`${cms}/b?fieldManager=somebody`, { data: { k: '5', m: '6' } })),
      apply('kubectl', `${cms}/b`, config('b', { k: '2' })),
      apply('kubectl', `${cms}/b?force=true`, config('b', { k: '2', m: '7' })),
      quietly(post(cms, configMap('c', { annotations: { [lastApplied]: 'no JSON' } }))),
      apply('kubectl', `${cms}/c`, config('c', { a: '2' })),
      quietly(post(cms, configMap('d'))),
      apply('kubectl', `${cms}/d?force=true`, config('d', { a: '2' })),
    ],
  },
  {
    name: 'connections to Pods',
    steps: [
      get(`${core}/pods/a/exec?command=true`),
      quietly(post(`${core}/pods`, { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } })),
      ...['exec?command=true', 'attach', 'portforward?ports=80', 'exec?command=true&container=none'].map(path =>
        get(`${core}/pods/a/${path}`),
      ),
      post(`${core}/pods/a/exec?command=true`),
    ],
  },
  {
    name: 'Tables of EndpointSlices, quotas, revisions and templates',
    steps: [
      ...made('/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices', {
        metadata: { name: 'a' },
        addressType: 'IPv4',
        ports: [{ name: 'x', port: 80 }, { name: 'y' }, {}, { name: 'z', port: 81 }],
        endpoints: [{ addresses: ['1.2.3.4'] }, { addresses: ['1.2.3.5'] }],
      }),
      ...made('/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices', {
        metadata: { name: 'b' },
        addressType: 'FQDN',
        endpoints: ['a', 'b', 'c', 'd'].map(name => ({ addresses: [`${name}.example.com`] })),
      }),
      get('/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices?includeObject=None', table),
      ...made(
        `${core}/resourcequotas`,
        { metadata: { name: 'a' }, spec: { hard: { pods: '2', 'limits.cpu': '4', cpu: '2' } } },
        { hard: { pods: '2', 'limits.cpu': '4', cpu: '2' }, used: { pods: '1', 'limits.cpu': '1', cpu: '500m' } },
      ),
      get(`${core}/resourcequotas?includeObject=None`, table),
      ...made('/apis/apps/v1/namespaces/{ns}/controllerrevisions', {
        metadata: {
          name: 'a',
          // Of a kind that no server knows: an owner that does not exist would have the revision collected before it is listed.
          ownerReferences: [
            { apiVersion: 'none.example.com/v1', kind: 'Set', name: 's', uid: 'a-b', controller: true },
          ],
        },
        revision: 3,
        data: {},
      }),
      ...made('/apis/apps/v1/namespaces/{ns}/controllerrevisions', { metadata: { name: 'b' }, revision: 0, data: {} }),
      get('/apis/apps/v1/namespaces/{ns}/controllerrevisions?includeObject=None', table),
      ...made(`${core}/podtemplates`, {
        metadata: { name: 'a' },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      }),
      get(`${core}/podtemplates?includeObject=None`, table),
    ],
    except: columnDescriptions,
  },
  {
    name: 'a Table of StorageClasses marks the default',
    steps: [
      ...['c', 'b'].flatMap(name =>
        made('/apis/storage.k8s.io/v1/storageclasses', {
          metadata: {
            name: `{ns}-${name}`,
            labels: { of: '{ns}' },
            annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
          },
          provisioner: 'x',
        }),
      ),
      nextSecond,
      ...made('/apis/storage.k8s.io/v1/storageclasses', {
        metadata: {
          name: '{ns}-z',
          labels: { of: '{ns}' },
          annotations: { 'storageclass.beta.kubernetes.io/is-default-class': 'true' },
        },
        provisioner: 'x',
      }),
      ...made('/apis/storage.k8s.io/v1/storageclasses', {
        metadata: { name: '{ns}-d', labels: { of: '{ns}' } },
        provisioner: 'x',
      }),
      get('/apis/storage.k8s.io/v1/storageclasses?labelSelector=of={ns}', table),
      get('/apis/storage.k8s.io/v1/storageclasses/{ns}-z', table),
    ],
    except: columnDescriptions,
  },
  {
    name: 'Tables of what a cluster has',
    steps: [
      ...made('/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: '{ns}' }, handler: 'runc' }),
      get('/apis/node.k8s.io/v1/runtimeclasses/{ns}?includeObject=None', table),
      ...made(
        '/apis/storage.k8s.io/v1/volumeattachments',
        {
          metadata: { name: '{ns}' },
          spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'p' } },
        },
        { attached: true },
      ),
      get('/apis/storage.k8s.io/v1/volumeattachments/{ns}?includeObject=None', table),
      ...made('/apis/storage.k8s.io/v1/csidrivers', {
        metadata: { name: '{ns}' },
        spec: { tokenRequests: [{ audience: 'a' }, { audience: 'b' }], volumeLifecycleModes: ['Ephemeral'] },
      }),
      get('/apis/storage.k8s.io/v1/csidrivers/{ns}?includeObject=None', table),
      ...made('/apis/storage.k8s.io/v1/csinodes', {
        metadata: { name: '{ns}' },
        spec: { drivers: [{ name: 'a.example.com', nodeID: 'n' }] },
      }),
      get('/apis/storage.k8s.io/v1/csinodes/{ns}?includeObject=None', table),
      ...made('/apis/networking.k8s.io/v1/ipaddresses', {
        metadata: { name: '192.168.4.4' },
        spec: { parentRef: { group: 'apps', resource: 'Deployments', namespace: 'n', name: 'd' } },
      }),
      get('/apis/networking.k8s.io/v1/ipaddresses/192.168.4.4?includeObject=None', table),
      ...made('/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations', {
        metadata: { name: '{ns}' },
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 4,
            limitResponse: { type: 'Queue', queuing: { queues: 8, handSize: 3, queueLengthLimit: 50 } },
          },
        },
      }),
      get('/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/{ns}?includeObject=None', table),
      ...made('/apis/resource.k8s.io/v1/deviceclasses', { metadata: { name: '{ns}' }, spec: {} }),
      get('/apis/resource.k8s.io/v1/deviceclasses/{ns}?includeObject=None', table),
      ...made('/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims', {
        metadata: { name: 'a' },
        spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
      }),
      get('/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims/a?includeObject=None', table),
      ...made('/apis/storagemigration.k8s.io/v1/storageversionmigrations', {
        metadata: { name: '{ns}' },
        spec: { resource: { group: 'apps', resource: 'deployments' } },
      }),
      get('/apis/storagemigration.k8s.io/v1/storageversionmigrations/{ns}?includeObject=None', table),
    ],
    except: columnDescriptions,
  },
]
