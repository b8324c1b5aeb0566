import { describe, expect, it } from 'vitest'
import { type Answer, type Kit, merge, withServer } from '../../testkit/in-memory.ts'
import { scheduleProblem } from './schedule.ts'

const core = '/api/v1/namespaces/default'
const apps = '/apis/apps/v1/namespaces/default'
const containers = [{ name: 'c', image: 'i' }]
const selector = { matchLabels: { app: 'a' } }
const template = { metadata: { labels: { app: 'a' } }, spec: { containers } }

function causesOf({ status, json, text }: Answer): string[] {
  expect(status, text).toBe(422)
  return (json.details.causes as { field: string; message: string }[]).map(
    ({ field, message }) => `${field}: ${message}`,
  )
}

const refused = async (kit: Kit, path: string, object: object): Promise<string[]> =>
  causesOf(await kit.call('POST', path, { metadata: { name: 'a' }, ...object }))

// What each field may be is compared with a real server, in test/differential.
describe('objects of built-in kinds', () => {
  it.for([
    [
      `${apps}/deployments`,
      { spec: { template } },
      ['spec.selector: Required value', '`selector` does not match template `labels`'],
    ],
    [`${core}/pods`, { spec: {} }, ['spec.containers: Required value']],
    [`${core}/pods`, { spec: { containers: [{ name: 'c' }] } }, ['spec.containers[0].image: Required value']],
    [
      `${core}/pods`,
      { spec: { containers: [{ ...containers[0], volumeMounts: [{ name: 'v', mountPath: '/v' }] }] } },
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      `${core}/pods`,
      {
        spec: {
          containers: [
            { ...containers[0], securityContext: { privileged: true, allowPrivilegeEscalation: false, runAsUser: -1 } },
          ],
          securityContext: { seccompProfile: { type: 'Localhost' } },
          ephemeralContainers: [{ name: 'e', image: 'i' }],
        },
      },
      [
        'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647',
        'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
        'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set',
        'spec.ephemeralContainers: Forbidden: cannot be set on create',
      ],
    ],
    [
      `${core}/services`,
      { spec: { ports: [{ port: 80 }], trafficDistribution: 'Other', externalIPs: ['x'] } },
      ['spec.externalIPs[0]: Invalid value: "x"', 'spec.trafficDistribution: Unsupported value: "Other"'],
    ],
    [
      `${core}/secrets`,
      { type: 'kubernetes.io/tls' },
      ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
    ],
    [`${core}/services`, { spec: {} }, ['spec.ports: Required value']],
    [
      '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
      { spec: { minAvailable: 'x' } },
      ['spec.minAvailable: Invalid value: "x": a valid percent string'],
    ],
    [
      `${core}/resourcequotas`,
      { spec: { hard: { nonsense: '1', pods: '500m' }, scopes: ['Terminating', 'NotTerminating'] } },
      [
        'spec.hard[nonsense]: Invalid value: "nonsense": must be a standard resource type or fully qualified',
        'spec.hard[nonsense]: Invalid value: "nonsense": must be a standard resource for quota',
        'spec.hard[pods]: Invalid value: "500m": must be an integer',
        'spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes',
      ],
    ],
    [
      `${core}/limitranges`,
      { spec: { limits: [{ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }] } },
      ['spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
    ],
    [
      '/api/v1/persistentvolumes',
      { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] } },
      ['spec: Required value: must specify a volume type'],
    ],
    [
      '/api/v1/persistentvolumes',
      { spec: { hostPath: { path: '/x' }, nfs: { server: 's', path: '/x' } } },
      [
        'spec.accessModes: Required value',
        'spec.capacity: Required value',
        'spec.capacity: Unsupported value: null: supported values: "storage"',
        'spec.nfs: Forbidden: may not specify more than 1 volume type',
      ],
    ],
    [
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      { endpoints: [{ addresses: ['10.0.0.1'] }] },
      ['addressType: Required value'],
    ],
    [
      `${core}/services`,
      { spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 3000 }] } },
      [
        'spec.ports[0].nodePort: Invalid value: 3000: provided port is not in the valid range. The range of valid ports',
      ],
    ],
    [
      `${core}/services`,
      { spec: { clusterIP: '10.0.0.010', ports: [{ port: 80 }] } },
      ['spec.clusterIPs[0]: Invalid value: "10.0.0.010": must not have leading 0s'],
    ],
    [
      `${core}/services`,
      { spec: { clusterIP: '10.0.255.255', ports: [{ port: 80 }] } },
      ['failed to allocate IP 10.0.255.255: the provided network does not match the current range'],
    ],
    [
      `${core}/endpoints`,
      { subsets: [{ addresses: [{ ip: '127.0.0.1' }] }] },
      ['subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range'],
    ],
    [
      `${core}/events`,
      { involvedObject: { namespace: 'other' } },
      ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
    ],
    [
      '/apis/events.k8s.io/v1/namespaces/default/events',
      { regarding: { namespace: 'default' }, type: 'Odd' },
      ['eventTime: Required value', 'type: Invalid value: "": has invalid value: Odd'],
    ],
    [
      '/apis/certificates.k8s.io/v1/certificatesigningrequests',
      { spec: { request: 'eA==', signerName: 'a', usages: ['client auth', 'client auth'] } },
      [
        'spec.request: Invalid value: "eA==": PEM block type must be CERTIFICATE REQUEST',
        'spec.usages[1]: Duplicate value: "client auth"',
        'spec.signerName: Invalid value: "a": must be a fully qualified domain and path',
      ],
    ],
    [
      '/api/v1/nodes',
      {
        spec: {
          podCIDR: '10.0.0.1/8',
          taints: [
            { key: 'k', effect: 'NoExecute' },
            { key: 'k', effect: 'NoExecute' },
          ],
        },
      },
      [
        'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"","Effect":"NoExecute","TimeAdded":null}: taints must be unique by key and effect pair',
        'spec.podCIDRs[0]: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
      ],
    ],
    ['/apis/storage.k8s.io/v1/storageclasses', {}, ['provisioner: Required value']],
    [
      '/apis/storage.k8s.io/v1/csidrivers',
      { spec: { serviceAccountTokenInSecrets: true } },
      [
        'spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests',
      ],
    ],
    [
      `${core}/replicationcontrollers`,
      { spec: { selector: { app: 'b' }, template } },
      ['spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
    ],
    [`${core}/podtemplates`, {}, ['template.spec.containers: Required value']],
    [`${apps}/controllerrevisions`, {}, ['data: Required value: data is mandatory']],
  ] as const)('F1: are refused by %s for what a real server refuses: %j', ([path, object, expected]) =>
    withServer(async kit => {
      const causes = await refused(kit, path, object)
      expect(causes.length).toBe(expected.length)
      for (const [i, cause] of causes.entries()) expect(cause).toContain(expected[i])
    }),
  )

  it('F1: an EndpointSlice of more than 1000 endpoints is refused without a look at them', () =>
    withServer(async kit => {
      const endpoints = Array.from({ length: 1001 }, () => ({ addresses: ['x'] }))
      const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'
      expect(await refused(kit, slices, { addressType: 'IPv4', endpoints })).toEqual([
        'endpoints: Too many: 1001: must have at most 1000 items',
      ])
    }))

  it('F1: problems that the tags of the types report come last', () =>
    withServer(async kit => {
      const spec = { jobTemplate: { spec: { template: { spec: { containers, restartPolicy: 'Other' } } } } }
      const causes = await refused(kit, '/apis/batch/v1/namespaces/default/cronjobs', { spec })
      expect(causes.at(-1)).toBe('spec.schedule: Required value')
      expect(causes.length).toBeGreaterThan(1)
    }))

  it.for([
    [
      '/api/v1/persistentvolumes',
      { spec: { capacity: { storage: '1' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } },
      { spec: { hostPath: { path: '/y' } } },
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ],
    [
      `${core}/resourcequotas`,
      { spec: { scopes: ['Terminating'] } },
      { spec: { scopes: null } },
      'spec.scopes: Invalid value: null: field is immutable',
    ],
    [
      '/api/v1/nodes',
      { spec: { podCIDR: '10.0.0.0/24' } },
      { spec: { podCIDR: '10.0.1.0/24' } },
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    ],
    [
      '/apis/storage.k8s.io/v1/csidrivers',
      { spec: { attachRequired: true } },
      { spec: { attachRequired: false } },
      'spec.attachedRequired: Invalid value: false: field is immutable',
    ],
    [
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      { addressType: 'IPv4', endpoints: [] },
      { addressType: 'IPv6' },
      'addressType: Invalid value: null: field is immutable',
    ],
    [
      '/apis/events.k8s.io/v1/namespaces/default/events',
      {
        ...{ regarding: { namespace: 'default' }, type: 'Normal', action: 'A', reason: 'R' },
        ...{ eventTime: '2024-01-01T00:00:00.000000Z', reportingController: 'c', reportingInstance: 'i' },
      },
      { action: 'B' },
      'action: Invalid value: "B": field is immutable',
    ],
  ] as const)('F1: of %s %j does not become %j', ([path, object, change, expected]) =>
    withServer(async kit => {
      const made = await kit.call('POST', path, { metadata: { name: 'a' }, ...object })
      expect(made.status, made.text).toBe(201)
      const [cause, ...more] = causesOf(await kit.call('PATCH', `${path}/a`, change, merge))
      expect(cause).toContain(expected)
      expect(more).toEqual([])
    }),
  )

  it('F1: a new Pod has the values of its own labels in the selectors that name their keys', () =>
    withServer(async kit => {
      const labelSelector = { matchLabels: { app: 'a' } }
      const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector }
      const topologySpreadConstraints = [{ ...spread, matchLabelKeys: ['version', 'absent'] }]
      const metadata = { name: 'a', labels: { version: '1' } }
      const { json } = await kit.call('POST', `${core}/pods`, {
        metadata,
        spec: { containers, topologySpreadConstraints },
      })
      expect(json.spec.topologySpreadConstraints[0].labelSelector.matchExpressions).toEqual([
        { key: 'version', operator: 'In', values: ['1'] },
      ])
    }))

  it('F1: an update of what fill stored is refused for what it makes wrong, and not for what was wrong', () =>
    withServer(async kit => {
      const bare = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', namespace: 'default' } }
      await kit.server.fill([{ ...bare, spec: { selector, template: { ...template, spec: {} } } }])
      const a = `${apps}/deployments/a`
      expect((await kit.call('PATCH', a, { metadata: { labels: { l: 'x' } } }, merge)).status).toBe(200)
      expect((await kit.call('PATCH', `${a}/status`, { status: { replicas: 1 } }, merge)).status).toBe(200)
      expect((await kit.call('PATCH', a, { spec: { replicas: 2 } }, merge)).status).toBe(200)
      const causes = causesOf(await kit.call('PATCH', a, { spec: { replicas: -1 } }, merge))
      expect(causes).toEqual(['spec.replicas: Invalid value: -1: must be greater than or equal to 0'])
    }))
})

describe('a schedule', () => {
  it.for([
    ...['* * * * *', '*/5 1-3 * jan,FEB mon-fri', '@daily', '@every 1h30m', '0 0 1 1 ?', 'TZ=UTC * * * * *'],
    ...['@every .5s', '@every 0', '@every 5μs', '5/15 * * * *'],
  ])('F1: may be %s', schedule => {
    expect(scheduleProblem(schedule)).toBeUndefined()
  })

  it.for([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['60/5 * * * *', 'beginning of range (60) beyond end of range (59): 60/5'],
    ['a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ['@never', 'unrecognized descriptor: @never'],
    ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
    ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
    ['@every 1d', 'failed to parse duration @every 1d: time: unknown unit "d" in duration "1d"'],
  ] as const)('F1: may not be %s', ([schedule, problem]) => {
    expect(scheduleProblem(schedule)).toBe(problem)
  })
})
