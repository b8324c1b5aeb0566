import { del, get, merge, post, quietly, type Scenario, type Step, wait } from './scenario.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system']
const account = (namespace: string): string => `/api/v1/namespaces/${namespace}/serviceaccounts/default`
const authority = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`

/** Waits until a namespace has what controllers create in it. */
const complete = (namespace: string): Step[] => [account, authority].map(path => wait(path(namespace), { status: 200 }))

/** Reads an object once it is there. */
const present = (path: string): Step[] => [wait(path, { status: 200 }), get(path)]

/** In which order a server creates these is chance. */
const anyOrder = ['*.body.items.*.metadata.resourceVersion', '*.body.metadata.resourceVersion']

/** Waits until the object that has a label is gone, and another of its name there. */
const comesBack = (path: string): Step[] => [
  quietly(merge(path, { metadata: { labels: { former: 'true' } } })),
  quietly(del(path)),
  wait(path, { status: 200, lacks: 'former' }),
  get(path),
]

/** The paths of lists that only a real server fills from its start. The table of differences in the package's README explains them. */
export const onlyReal: readonly string[] = [
  // The embedded server answers 501.
  '/api/v1/componentstatuses',
  // A real server writes events when it repairs the address of its Service.
  '/api/v1/events',
  '/apis/events.k8s.io/v1/events',
  // They configure parts that the embedded server does not have.
  '/apis/apiregistration.k8s.io/v1/apiservices',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  '/apis/networking.k8s.io/v1/ipaddresses',
  '/apis/networking.k8s.io/v1/servicecidrs',
  // By it several servers know of each other.
  '/apis/coordination.k8s.io/v1/leases',
]

/** The objects that each server has from its start, and each namespace from its own. */
export const clusterScenarios: readonly Scenario[] = [
  {
    name: 'the Service of the API server is there',
    steps: present('/api/v1/namespaces/default/services/kubernetes'),
  },
  {
    name: 'the PriorityClasses of the system are there',
    steps: [
      wait('/apis/scheduling.k8s.io/v1/priorityclasses', { items: 2 }),
      get('/apis/scheduling.k8s.io/v1/priorityclasses'),
    ],
    except: anyOrder,
  },
  {
    name: 'the namespaces of the system are there',
    steps: [...namespaces.map(name => wait(`/api/v1/namespaces/${name}`, { status: 200 })), get('/api/v1/namespaces')],
    except: anyOrder,
  },
  {
    name: 'what extension API servers know clients by is there',
    steps: present('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'),
  },
  ...['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map(
    (plural): Scenario => ({
      name: `the default ${plural} are there`,
      steps: [get(`${rbac}/${plural}`)],
      // Nobody owns fields of these on the embedded server: a server in memory would take three times as long to start.
      except: [...anyOrder, '*.body.items.*.metadata.managedFields'],
    }),
  ),
  {
    name: 'each namespace has an account and the CA of the server',
    steps: [...namespaces, '{ns}'].flatMap(namespace => [
      ...complete(namespace),
      ...['serviceaccounts', 'configmaps', 'secrets', 'services', 'endpoints'].map(plural =>
        get(`/api/v1/namespaces/${namespace}/${plural}`),
      ),
    ]),
    except: anyOrder,
  },
  {
    name: 'the account and the CA of a namespace come back when they are deleted',
    steps: [...complete('{ns}'), ...comesBack(account('{ns}')), ...comesBack(authority('{ns}'))],
  },
  {
    name: 'the CA of a namespace is put right when its data changes',
    steps: [
      ...complete('{ns}'),
      merge(authority('{ns}'), { data: { 'ca.crt': 'another', more: 'x' }, metadata: { labels: { kept: 'true' } } }),
      wait(authority('{ns}'), { lacks: 'another' }),
      get(authority('{ns}')),
      quietly(merge(authority('{ns}'), { data: null })),
      wait(authority('{ns}'), { contains: '"data"' }),
      get(authority('{ns}')),
    ],
  },
  {
    name: 'the annotation of the CA is put back when it is removed, and not when it changes',
    steps: [
      ...complete('{ns}'),
      quietly(merge(authority('{ns}'), { metadata: { annotations: null } })),
      wait(authority('{ns}'), { contains: 'Contains a CA bundle' }),
      get(authority('{ns}')),
      quietly(merge(authority('{ns}'), { metadata: { annotations: { 'kubernetes.io/description': 'mine' } } })),
      // A controller that put the annotation back would have done so before this namespace is complete.
      quietly(post('/api/v1/namespaces', { metadata: { name: '{ns}-next' } })),
      ...complete('{ns}-next'),
      get(authority('{ns}')),
    ],
  },
  {
    name: 'the CA of a namespace stays wrong while it is immutable, and is right after a delete',
    steps: [
      ...complete('{ns}'),
      merge(authority('{ns}'), { data: { 'ca.crt': 'another' }, immutable: true }),
      // The controller has tried before this namespace is complete.
      quietly(post('/api/v1/namespaces', { metadata: { name: '{ns}-next' } })),
      ...complete('{ns}-next'),
      get(authority('{ns}')),
      quietly(del(authority('{ns}'))),
      wait(authority('{ns}'), { status: 200, lacks: 'another' }),
      get(authority('{ns}')),
    ],
  },
  {
    name: 'a namespace that has them can be deleted',
    steps: [
      quietly(post('/api/v1/namespaces', { metadata: { name: '{ns}-old' } })),
      ...complete('{ns}-old'),
      quietly(del('/api/v1/namespaces/{ns}-old')),
      wait('/api/v1/namespaces/{ns}-old', { status: 404 }),
      get(authority('{ns}-old')),
    ],
  },
]
