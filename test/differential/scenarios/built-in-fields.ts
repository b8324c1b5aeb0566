import { apply, get, jsonPatch, merge, post, put, quietly, request, type Scenario, strategic } from '../scenario.ts'

const apps = '/apis/apps/v1/namespaces/{ns}'
const core = '/api/v1/namespaces/{ns}'
const pods = `${core}/pods`
const deployments = `${apps}/deployments`
const configMaps = `${core}/configmaps`
const strict = 'fieldValidation=Strict'
const ignore = 'fieldValidation=Ignore'

const podWith = (container: object, spec: object = {}): object => ({
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec },
})
const deployment = (spec: object = {}, container: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i', ...container }] },
    },
    ...spec,
  },
})
const yaml = { headers: { 'content-type': 'application/yaml' } }
const twice = '{"metadata":{"name":"b"},"data":{"a":"1","a":"2"},"zz":1}'

/** Fields that a built-in's type does not have. */
export const fieldScenarios: readonly Scenario[] = [
  {
    name: 'unknown fields of built-ins are left out, with a warning',
    steps: [
      post(deployments, deployment({ zz: 1, aa: { bb: 1 } }, { yy: 1, ports: [{ containerPort: 1, xx: 1 }] })),
      get(`${deployments}/a`),
      put(`${deployments}/a`, deployment({ zz: 1 })),
      put(`${deployments}/a/status`, { ...deployment(), status: { zz: 1, replicas: 1 } }),
      merge(`${deployments}/a`, { spec: { zz: 1 } }),
      merge(`${deployments}/a`, { spec: { zz: null }, yy: 1 }),
      strategic(`${deployments}/a`, { spec: { template: { spec: { containers: [{ name: 'c', zz: 1 }] } } } }),
      jsonPatch(`${deployments}/a`, [{ op: 'add', path: '/spec/zz', value: 1 }]),
      apply('me', `${deployments}/a`, deployment({ zz: 1 })),
      get(`${deployments}/a`),
      post(
        pods,
        podWith({ resources: { limits: { cpu: 1 }, zz: 1 } }, { volumes: [{ name: 'v', emptyDir: { zz: 1 } }] }),
      ),
      post(configMaps, { metadata: { name: 'a', zz: 1, labels: { zz: '1' } }, Data: {}, data: { zz: '1' } }),
      post(configMaps, {
        metadata: { name: 'c', ownerReferences: [{ apiVersion: 'v1', kind: 'C', name: 'n', uid: 'u', zz: 1 }] },
        zz: null,
      }),
      post(configMaps, 'zz: 1\nmetadata: {yy: 1, name: d}\naa: 1\n', yaml),
      get(`${configMaps}/d`),
    ],
  },
  {
    name: 'unknown fields of built-ins with fieldValidation=Ignore',
    steps: [
      post(`${deployments}?${ignore}`, deployment({ zz: 1 }, { yy: 1 })),
      merge(`${deployments}/a?${ignore}`, { spec: { zz: 1 } }),
      post(`${configMaps}?${ignore}`, twice),
      get(`${configMaps}/b`),
    ],
  },
  {
    name: 'unknown fields of built-ins with fieldValidation=Strict',
    steps: [
      post(`${deployments}?${strict}`, deployment({ zz: 1, aa: { bb: 1 } }, { yy: 1 })),
      post(`${deployments}?${strict}`, deployment()),
      post(`${configMaps}?${strict}`, twice),
      post(configMaps, twice),
      post(`${configMaps}?${strict}`, 'metadata: {name: d}\nzz: 1\ndata: {a: x, a: y}\n', yaml),
      put(`${deployments}/a?${strict}`, deployment({ zz: 1 })),
      put(`${deployments}/a/status?${strict}`, { ...deployment(), status: { zz: 1 } }),
      put(`${deployments}/none?${strict}`, deployment({ zz: 1 })),
      strategic(`${deployments}/a?${strict}`, { spec: { zz: 1 } }),
      strategic(`${deployments}/a?${strict}`, '{"spec":{"paused":true,"paused":false}}'),
      strategic(`${deployments}/a?${strict}`, { spec: { paused: true } }),
      apply('me', `${deployments}/a?${strict}`, deployment({ zz: 1 })),
      apply('me', `${deployments}/a?${strict}&force=true`, deployment()),
      merge(`${deployments}/a?${strict}`, { spec: { paused: null } }),
      get(`${deployments}/a`),
    ],
  },
  {
    name: 'a strict patch of a built-in is refused with the whole object',
    steps: [
      quietly(post(configMaps, { metadata: { name: 'a' }, data: { a: 'b' } })),
      merge(`${configMaps}/a?${strict}`, { zz: 1, data: { c: 'd' } }),
      merge(`${configMaps}/a?${strict}`, '{"data":{"c":"d","c":"e"}}'),
      jsonPatch(`${configMaps}/a?${strict}`, [{ op: 'add', path: '/zz', value: 1 }]),
    ],
  },
  {
    name: 'unknown fields of what is never stored',
    steps: [
      quietly(post(deployments, deployment())),
      ...['', `?${strict}`].flatMap(query => [
        put(`${deployments}/a/scale${query}`, { metadata: { name: 'a' }, spec: { replicas: 2, zz: 1 }, yy: 1 }),
        merge(`${deployments}/a/scale${query}`, { spec: { replicas: 3, zz: 1 } }),
        post(`/apis/authentication.k8s.io/v1/tokenreviews${query}`, { spec: { token: 'x', zz: 1 } }),
        post(`${core}/bindings${query}`, { metadata: { name: 'none' }, target: { name: 'n', zz: 1 } }),
        request('POST', `${core}/pods/none/binding${query}`, {
          metadata: { name: 'none' },
          target: { name: 'n', zz: 1 },
        }),
      ]),
    ],
  },
]
