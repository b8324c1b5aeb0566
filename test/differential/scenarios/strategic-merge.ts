import { get, post, put, quietly, type Scenario, strategic } from '../scenario.ts'
import { cms, configMap, defined, game, games, namespaces, secrets } from './shapes.ts'

const a = `${cms}/a`
const pods = '/api/v1/namespaces/{ns}/pods'
const deployments = '/apis/apps/v1/namespaces/{ns}/deployments'
const services = '/api/v1/namespaces/{ns}/services'

const deployment = (spec: Record<string, unknown>): unknown => ({
  metadata: { name: 'a', labels: { app: 'a' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec },
  },
})
const containers = [
  {
    name: 'one',
    image: 'one:1',
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
    args: ['x', 'y'],
    ports: [{ containerPort: 80 }],
  },
  { name: 'two', image: 'two:1' },
]
const inPod = (spec: unknown): unknown => ({ spec: { template: { spec } } })
const patched = (spec: unknown): ReturnType<typeof strategic> => strategic(`${deployments}/a`, inPod(spec))

/** Strategic merge patches. */
export const strategicScenarios: readonly Scenario[] = [
  {
    name: 'strategic merge of a ConfigMap',
    steps: [
      quietly(post(cms, configMap('a', { labels: { l: 'x', m: 'y' } }))),
      strategic(a, { data: { b: '2' }, metadata: { labels: { l: null, n: 'z' } } }),
      strategic(a, { data: { a: null, none: null } }),
      strategic(a, { data: { $patch: 'replace', c: '3' } }),
      strategic(a, { data: { $patch: 'delete' } }),
      strategic(a, { metadata: { labels: null } }),
      strategic(a, {}),
      strategic(a, { immutable: true }),
      get(a),
    ],
  },
  {
    name: 'strategic merge patches that are refused',
    steps: [
      strategic(a, {}),
      quietly(post(cms, configMap('a', { finalizers: ['ex.io/a'] }))),
      strategic(a, []),
      strategic(a, 'null'),
      strategic(a, 'no json'),
      strategic(a, '"text"'),
      strategic(a, { data: { $patch: 'merge' } }),
      strategic(a, { data: { $retainKeys: 'x' } }),
      strategic(a, { data: { $retainKeys: ['x'], y: '1' } }),
      strategic(a, { metadata: { $deleteFromPrimitiveList: ['x'] } }),
      strategic(a, { metadata: { '$setElementOrder/finalizers': 'x' } }),
      strategic(a, { metadata: { '$setElementOrder/finalizers': ['b', 'a'], finalizers: ['a', 'b'] } }),
      strategic(a, { metadata: { finalizers: [1] } }),
      strategic(a, { metadata: { finalizers: [['x']] } }),
      strategic(a, { metadata: { name: 'b' } }),
      strategic(a, { metadata: { resourceVersion: '1' } }),
      strategic(a, { metadata: { uid: 'x' } }),
      strategic(`${a}?force=true`, {}),
      strategic(`${a}?fieldManager=${'x'.repeat(129)}`, {}),
      get(a),
    ],
  },
  {
    name: 'strategic merge is not for custom resources',
    steps: [...defined(), quietly(post(games, game('a'))), strategic(`${games}/a`, { spec: { a: 1 } })],
  },
  {
    name: 'strategic merge of lists of texts',
    steps: [
      quietly(post(cms, configMap('a', { finalizers: ['ex.io/a', 'ex.io/b'] }))),
      strategic(a, { metadata: { finalizers: ['ex.io/c', 'ex.io/a'] } }),
      strategic(a, { metadata: { '$deleteFromPrimitiveList/finalizers': ['ex.io/b', 'ex.io/none'] } }),
      strategic(a, { metadata: { '$setElementOrder/finalizers': ['ex.io/c', 'ex.io/a'] } }),
      strategic(a, {
        metadata: { finalizers: ['ex.io/d'], '$setElementOrder/finalizers': ['ex.io/d', 'ex.io/a', 'ex.io/c'] },
      }),
      strategic(a, {
        metadata: {
          finalizers: ['ex.io/e'],
          '$deleteFromPrimitiveList/finalizers': ['ex.io/d'],
          '$setElementOrder/finalizers': ['ex.io/a', 'ex.io/e'],
        },
      }),
      strategic(a, { metadata: { finalizers: null } }),
      strategic(a, { metadata: { '$deleteFromPrimitiveList/finalizers': ['ex.io/a'] } }),
    ],
  },
  {
    name: 'strategic merge of owners',
    steps: [
      quietly(post(cms, configMap('a'))),
      strategic(a, {
        metadata: { ownerReferences: ['1', '2'].map(uid => ({ apiVersion: 'no.io/v1', kind: 'No', name: uid, uid })) },
      }),
      strategic(a, { metadata: { ownerReferences: [{ uid: '2', name: 'other' }] } }),
      strategic(a, { metadata: { ownerReferences: [{ $patch: 'delete', uid: '1' }] } }),
      strategic(a, { metadata: { ownerReferences: [{ name: 'x' }] } }),
      strategic(a, { metadata: { ownerReferences: [{ $patch: 'delete' }] } }),
      strategic(a, { metadata: { ownerReferences: [{ $patch: 'other', uid: '2' }] } }),
      strategic(a, { metadata: { ownerReferences: [{ $patch: 'merge', uid: '2' }] } }),
      strategic(a, {
        metadata: {
          ownerReferences: [{ $patch: 'replace' }, { apiVersion: 'no.io/v1', kind: 'No', name: '3', uid: '3' }],
        },
      }),
      strategic(a, { metadata: { ownerReferences: [] } }),
      strategic(a, { metadata: { ownerReferences: [{ $patch: 'replace' }] } }),
    ],
  },
  {
    name: 'strategic merge of containers',
    steps: [
      quietly(post(deployments, deployment({ containers }))),
      patched({ containers: [{ name: 'two', image: 'two:2' }] }),
      patched({ containers: [{ name: 'three', image: 'three:1' }] }),
      patched({
        containers: [
          {
            name: 'one',
            env: [
              { name: 'B', value: '3' },
              { name: 'C', value: '4' },
            ],
            args: ['z'],
          },
        ],
      }),
      patched({ containers: [{ name: 'one', env: [{ name: 'A', $patch: 'delete' }] }] }),
      patched({ containers: [{ name: 'two', $patch: 'delete' }] }),
      patched({ containers: [{ name: 'one', ports: [{ containerPort: 80, name: 'web' }, { containerPort: 81 }] }] }),
      patched({ containers: [{ name: 'one', env: null, args: null }] }),
      patched({ containers: [{ name: 'one', workingDir: null }] }),
    ],
  },
  {
    name: 'strategic merge: the order of elements',
    steps: [
      quietly(post(deployments, deployment({ containers: [...containers, { name: 'three', image: 'three:1' }] }))),
      patched({ '$setElementOrder/containers': [{ name: 'three' }, { name: 'one' }] }),
      patched({
        '$setElementOrder/containers': [{ name: 'four' }, { name: 'two' }, { name: 'one' }],
        containers: [
          { name: 'four', image: 'four:1' },
          { name: 'one', image: 'one:2' },
        ],
      }),
      patched({
        '$setElementOrder/containers': [{ name: 'one' }],
        containers: [{ name: 'four', $patch: 'delete' }],
      }),
      patched({
        '$setElementOrder/containers': [{ name: 'one' }, { name: 'two' }],
        containers: [
          { name: 'two', image: 'two:3' },
          { name: 'one', image: 'one:3' },
        ],
      }),
      patched({
        '$setElementOrder/volumes': [{ name: 'v' }],
        volumes: [{ name: 'v', emptyDir: {} }],
      }),
    ],
    except: ['3.body.message'],
  },
  {
    name: 'strategic merge: keys that are retained',
    steps: [
      quietly(
        post(
          deployments,
          deployment({
            containers,
            volumes: [
              { name: 'v', emptyDir: {} },
              { name: 'w', emptyDir: {} },
            ],
          }),
        ),
      ),
      patched({
        volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'x', defaultMode: 420 } }],
      }),
      patched({ volumes: [{ name: 'w', $retainKeys: ['name'], emptyDir: {} }] }),
      strategic(`${deployments}/a`, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
    ],
  },
  {
    name: 'strategic merge of what is replaced',
    steps: [
      quietly(
        post(
          deployments,
          deployment({ containers, tolerations: [{ key: 'a', operator: 'Exists' }], nodeSelector: { a: 'b' } }),
        ),
      ),
      patched({ tolerations: [{ key: 'b', operator: 'Exists' }] }),
      patched({ nodeSelector: { c: 'd' } }),
      patched({ nodeSelector: { $patch: 'replace', e: 'f' } }),
      strategic(`${deployments}/a`, {
        spec: { template: { spec: { $patch: 'replace', containers: [containers[1]] } } },
      }),
      strategic(`${deployments}/a`, { $patch: 'delete' }),
    ],
    except: ['5.body.message', '5.body.details'],
  },
  {
    name: 'strategic merge of a Service by its ports',
    steps: [
      quietly(
        post(services, {
          metadata: { name: 'a' },
          spec: {
            clusterIP: 'None',
            selector: { a: 'b' },
            ports: [
              { port: 80, name: 'a' },
              { port: 81, name: 'b' },
            ],
          },
        }),
      ),
      strategic(`${services}/a`, {
        spec: {
          ports: [
            { port: 81, name: 'c' },
            { port: 82, name: 'd' },
          ],
        },
      }),
      strategic(`${services}/a`, { spec: { ports: [{ port: 80, $patch: 'delete' }], selector: { c: 'd' } } }),
    ],
  },
  {
    name: 'strategic merge of a status',
    steps: [
      quietly(post(pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } })),
      strategic(`${pods}/p/status`, {
        status: {
          conditions: [
            { type: 'Ready', status: 'False' },
            { type: 'Other', status: 'True' },
          ],
        },
      }),
      strategic(`${pods}/p/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
      strategic(`${pods}/p/status`, {
        status: {
          $patch: 'replace',
          conditions: [{ type: 'Third', status: 'True' }],
        },
        spec: { nodeName: 'ignored' },
      }),
      strategic(`${namespaces}/{ns}/status`, {
        status: { conditions: [{ type: 'X', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }] },
      }),
    ],
  },
  {
    name: 'strategic merge of secrets and dry runs',
    steps: [
      quietly(post(secrets, { metadata: { name: 'a' }, data: { a: 'ZA==' } })),
      strategic(`${secrets}/a`, { stringData: { b: 'text' } }),
      strategic(`${secrets}/a?dryRun=All`, { data: { a: null } }),
      strategic(`${secrets}/a`, { type: 'Other' }),
      get(`${secrets}/a`),
      put(`${secrets}/a`, { metadata: { name: 'a' }, data: { a: 'ZA==' } }),
    ],
  },
]
