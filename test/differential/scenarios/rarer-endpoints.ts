import { del, get, merge, post, put, quietly, type Scenario, strategic, wait } from '../scenario.ts'
import { cms, configMap } from './shapes.ts'

const pods = '/api/v1/namespaces/{ns}/pods'
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
const yaml = { accept: 'application/yaml' }
const container = (name: string, more: object = {}): object => ({ name, image: 'i', ...more })
const pod = (name: string, ...containers: object[]): object => ({
  metadata: { name },
  spec: { containers, terminationGracePeriodSeconds: 0, automountServiceAccountToken: false },
})
/** A request for a certificate of `CN=a`, in base64. */
export const csr =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCTzd6QWExY0E2RElPejdYS1NBOEE1dXZkbjRYYzVDb0Rzb0RzU0VEMXhpMnVIdjEwL1lHczNLczMwdUsyVWYvCnVzcjFGY3ZiMVBzZVNrRXQ5dkUzWmV5Z0FEQUtCZ2dxaGtqT1BRUURBZ05JQURCRkFpQmZaVVQvSjNpZFk0enoKMTF1UExQdFcrV3lFRGVHblFET09QZ09mdHpPUWh3SWhBSmRMU2hCUE1VSXF0R3JkeDdWMjRFZUVIT3dLUURUeApGMHFLWmVPZFJtbUMKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg=='

const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices'
const apiService = (name: string, more: object = {}): object => ({
  metadata: { name },
  spec: { group: '{g}', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, ...more },
})
const elsewhere = { service: { namespace: '{ns}', name: 'far' } }

/** Endpoints that few clients ask. */
export const rarerScenarios: readonly Scenario[] = [
  {
    name: 'answers in YAML',
    steps: [
      post(cms, { ...configMap('a'), data: { a: '1', b: 'x: y', c: 'two\nlines\n', d: '', e: 'true' } }),
      get(`${cms}/a`, { headers: yaml }),
      get(cms, { headers: yaml }),
      get(`${cms}/none`, { headers: yaml }),
      get(`${cms}?watch=1`, { headers: yaml }),
      post(cms, configMap('b'), { headers: yaml }),
      del(`${cms}/b`, undefined, { headers: yaml }),
    ],
    // As text they hold times and resourceVersions that can't be compared, and long lines are folded elsewhere.
    except: ['1.body', '2.body', '4.body', '5.body', '6.body'],
  },
  {
    name: 'the log of a pod that runs nowhere',
    steps: [
      quietly(post(pods, pod('one', container('c')))),
      quietly(post(pods, pod('two', container('c'), container('d')))),
      get(`${pods}/one/log`),
      get(`${pods}/one/log?container=c`),
      get(`${pods}/one/log?container=x`),
      get(`${pods}/two/log`),
      get(`${pods}/none/log`),
      post(`${pods}/one/log`, {}),
    ],
  },
  {
    name: 'ephemeral containers are added, and stay',
    steps: [
      quietly(post(pods, pod('p', container('c')))),
      get(`${pods}/p/ephemeralcontainers`),
      strategic(`${pods}/p/ephemeralcontainers`, {
        spec: { activeDeadlineSeconds: 5, ephemeralContainers: [container('debug')] },
      }),
      strategic(`${pods}/p/ephemeralcontainers`, { spec: { ephemeralContainers: [container('more')] } }),
      merge(`${pods}/p/ephemeralcontainers`, { spec: { ephemeralContainers: [] } }),
      strategic(`${pods}/p/ephemeralcontainers`, {
        spec: { ephemeralContainers: [container('more', { image: 'j' })] },
      }),
      get(`${pods}/p`),
    ],
    // A real server says how the container differs, with all fields of its own type.
    except: ['*.body.metadata.managedFields', '4.body.message', '4.body.details.causes'],
  },
  {
    name: 'a pod is resized',
    steps: [
      quietly(post(pods, pod('p', container('c', { resources: { requests: { cpu: '1' } } })))),
      strategic(`${pods}/p/resize`, {
        spec: {
          activeDeadlineSeconds: 5,
          containers: [{ name: 'c', image: 'j', resources: { requests: { cpu: '2000m' } } }],
        },
      }),
      get(`${pods}/p`),
    ],
    except: ['*.body.metadata.managedFields'],
  },
  {
    name: 'a request for a certificate is approved',
    steps: [
      quietly(
        post(requests, {
          metadata: { name: '{ns}' },
          spec: { request: csr, signerName: 'example.com/signer', usages: ['digital signature'] },
        }),
      ),
      put(`${requests}/{ns}/approval`, {
        metadata: { name: '{ns}' },
        spec: { request: csr, signerName: 'example.com/signer', usages: ['client auth'] },
        status: {
          certificate: 'bm8=',
          conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'ok' }],
        },
      }),
      get(`${requests}/{ns}/approval`),
      merge(`${requests}/{ns}/status`, { status: { conditions: [] } }),
      merge(`${requests}/{ns}/approval`, { status: { conditions: [] } }),
      merge(`${requests}/{ns}`, { status: { conditions: [] } }),
      del(`${requests}/{ns}`),
    ],
    except: ['*.body.metadata.managedFields'],
  },
  {
    name: 'an API service elsewhere, which nobody reaches',
    steps: [
      get('/apis/{g}/v1'),
      post(apiServices, apiService('v1.{g}', elsewhere)),
      wait(`${apiServices}/v1.{g}`, { contains: 'ServiceNotFound' }),
      get(`${apiServices}/v1.{g}`),
      get(`${apiServices}/v1.{g}`, { headers: table }),
      // A real server routes to it a moment later.
      wait('/apis/{g}/v1', { status: 503 }),
      get('/apis/{g}/v1'),
      get('/apis/{g}/v1/namespaces/{ns}/flunders'),
      quietly(
        post('/api/v1/namespaces/{ns}/services', { metadata: { name: 'far' }, spec: { ports: [{ port: 444 }] } }),
      ),
      wait(`${apiServices}/v1.{g}`, { contains: 'ServicePortError' }),
      get(`${apiServices}/v1.{g}`),
      merge(`${apiServices}/v1.{g}`, { spec: { service: { port: 444 } } }),
      wait(`${apiServices}/v1.{g}`, { contains: 'EndpointsNotFound' }),
      get(`${apiServices}/v1.{g}`),
      merge(`${apiServices}/v1.{g}`, { spec: { group: 'other' } }),
      merge(`${apiServices}/v1.{g}/status`, { status: { conditions: [{ type: 'A', status: 'no' }] } }),
      put(`${apiServices}/v1.{g}`, apiService('v1.{g}', elsewhere)),
      del(`${apiServices}/v1.{g}`),
      get(`${apiServices}/v1.{g}`),
    ],
    except: [
      '*.body.metadata.managedFields',
      '*.body.rows.0.object.metadata.managedFields',
      '*.body.columnDefinitions',
    ],
  },
  {
    name: 'API services that are refused',
    steps: [
      {},
      { group: '' },
      { group: 'A' },
      { version: 'V1' },
      { version: '' },
      { groupPriorityMinimum: 0 },
      { groupPriorityMinimum: 20_001 },
      { versionPriority: 1001 },
      { insecureSkipTLSVerify: true },
      { caBundle: 'YQ==' },
      { service: {} },
      { service: { namespace: 'a', name: 'b', port: 0 } },
      { service: { namespace: 'a', name: 'b', port: 70_000 } },
      { service: { namespace: 'a', name: 'b' }, insecureSkipTLSVerify: true, caBundle: 'YQ==' },
      { extra: 1 },
    ].flatMap(more => [
      post(`${apiServices}?dryRun=All`, apiService('v1.{g}', more)),
      post(`${apiServices}?dryRun=All`, apiService('a/b', more)),
    ]),
    except: ['*.body.metadata.managedFields'],
  },
  {
    name: 'the health of etcd',
    steps: [
      get('/api/v1/componentstatuses/etcd-0'),
      get('/api/v1/componentstatuses/etcd-0', { headers: table }),
      get('/api/v1/componentstatuses/nobody'),
      get('/api/v1/componentstatuses?fieldSelector=metadata.name%3Detcd-0'),
      get('/api/v1/componentstatuses?fieldSelector=spec%3Detcd-0'),
      get('/api/v1/componentstatuses?labelSelector=a'),
      get('/api/v1/componentstatuses?watch=1'),
      post('/api/v1/componentstatuses', {}),
      del('/api/v1/componentstatuses/etcd-0'),
    ],
    except: ['*.body.columnDefinitions'],
  },
  {
    name: 'health in detail, and metrics',
    steps: [get('/readyz?verbose'), get('/livez?verbose'), get('/metrics')],
    // What is checked and counted is each server's own.
    except: ['*.body'],
  },
]
