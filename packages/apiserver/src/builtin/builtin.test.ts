import { describe, expect, it } from 'vitest'
import { type Answer, type Kit, merge, withServer } from '../testkit/in-memory.ts'

const core = '/api/v1/namespaces/default'
const apps = '/apis/apps/v1/namespaces/default'
const applied = { 'content-type': 'application/apply-patch+yaml' }
const containers = [{ name: 'c', image: 'i' }]
const selector = { matchLabels: { app: 'a' } }
const template = { metadata: { labels: { app: 'a' }, creationTimestamp: null }, spec: { containers } }
const filledIn = {
  containers: [
    {
      ...containers[0],
      imagePullPolicy: 'Always',
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    },
  ],
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  schedulerName: 'default-scheduler',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
}

async function create(kit: Kit, path: string, body: object): Promise<Answer['json']> {
  const { status, json, text } = await kit.call('POST', path, body)
  expect(status, text).toBe(201)
  return json
}

/** The causes of a 422 as `field: message`, without what differs in it. */
async function refusal(kit: Kit, path: string, patch: object): Promise<string[]> {
  const { status, json, text } = await kit.call('PATCH', path, patch, merge)
  expect(status, text).toBe(422)
  const causes = json.details.causes as { field: string; message: string }[]
  return causes.map(({ field, message }) => `${field}: ${message.split('\n')[0]}`)
}

describe('unknown fields of built-ins', () => {
  const body = {
    metadata: { name: 'a', yy: 1 },
    spec: { zz: { a: 1 }, selector, template: { ...template, spec: { containers: [{ ...containers[0], xx: 1 }] } } },
  }
  const unknown = ['metadata.yy', 'spec.zz', 'spec.template.spec.containers[0].xx'].map(
    path => `unknown field "${path}"`,
  )

  it('F1: are left out with a warning each, in their order', () =>
    withServer(async kit => {
      const { status, headers, json } = await kit.call('POST', `${apps}/deployments`, body)
      expect([status, headers.warning]).toEqual([201, unknown.map(one => `299 - ${JSON.stringify(one)}`)])
      expect([json.metadata.yy, json.spec.zz]).toEqual([undefined, undefined])
      expect(json.spec.template.spec).toEqual(filledIn)
    }))

  it('F1: are left out without a word with fieldValidation=Ignore', () =>
    withServer(async kit => {
      const { status, headers, json } = await kit.call('POST', `${apps}/deployments?fieldValidation=Ignore`, body)
      expect([status, headers.warning, json.spec.zz]).toEqual([201, undefined, undefined])
    }))

  it('F1: are refused with fieldValidation=Strict, and nothing is stored', () =>
    withServer(async kit => {
      const { status, json } = await kit.call('POST', `${apps}/deployments?fieldValidation=Strict`, body)
      const why = `Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: ${unknown.join(', ')}`
      expect([status, json.message]).toEqual([400, why])
      expect((await kit.call('GET', `${apps}/deployments/a`)).status).toBe(404)
    }))

  it('F1: of a review and of a Scale are reported, too', () =>
    withServer(async kit => {
      await create(kit, `${apps}/deployments`, { metadata: { name: 'a' }, spec: { selector, template } })
      const scale = await kit.call('PATCH', `${apps}/deployments/a/scale`, { spec: { zz: 1 } }, merge)
      const review = await kit.call('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        spec: { zz: 1 },
      })
      for (const { headers } of [scale, review])
        expect(headers.warning).toEqual(['299 - "unknown field \\"spec.zz\\""'])
    }))
})

describe('values of other types than the fields of built-ins', () => {
  const cannot = 'Deployment in version "v1" cannot be handled as a Deployment: '
  const deployment = (spec: object): object => ({ metadata: { name: 'a' }, spec: { selector, template, ...spec } })

  it('F1: are refused in the words of a real server, which name the type in Go', () =>
    withServer(async kit => {
      const reasonOf = async (spec: object): Promise<string> => {
        const { status, json } = await kit.call('POST', `${apps}/deployments`, deployment(spec))
        expect(status).toBe(400)
        return json.message.replace(cannot, '')
      }
      const into = 'into Go struct field'
      const probe = 'HTTPGetAction.spec.template.spec.containers.livenessProbe.ProbeHandler.httpGet.port'
      const withContainer = (more: object): object => ({ template: { spec: { containers: [{ name: 'c', ...more }] } } })
      expect([
        await reasonOf({ replicas: '1' }),
        await reasonOf({ replicas: 1.5 }),
        await reasonOf({ template: { spec: { restartPolicy: 3 } } }),
        await reasonOf({ template: { metadata: { labels: { a: true } } } }),
        await reasonOf(withContainer({ livenessProbe: { httpGet: { port: true } } })),
        await reasonOf({ template: { metadata: { creationTimestamp: '2020-02-30T00:00:00Z' } } }),
      ]).toEqual([
        `json: cannot unmarshal string ${into} DeploymentSpec.spec.replicas of type int32`,
        `json: cannot unmarshal number 1.5 ${into} DeploymentSpec.spec.replicas of type int32`,
        `json: cannot unmarshal number ${into} PodSpec.spec.template.spec.restartPolicy of type v1.RestartPolicy`,
        `json: cannot unmarshal bool ${into} ObjectMeta.spec.template.metadata.labels of type string`,
        `json: cannot unmarshal bool ${into} ${probe} of type int32`,
        'parsing time "2020-02-30T00:00:00Z": day out of range',
      ])
    }))

  it('F1: a problem of a type that reads its JSON by itself is reported before all others', () =>
    withServer(async kit => {
      const body = deployment({ replicas: 'x', strategy: { rollingUpdate: { maxSurge: {} } } })
      const { json } = await kit.call('POST', `${apps}/deployments`, body)
      const field = 'RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge'
      expect(json.message).toBe(`${cannot}json: cannot unmarshal object into Go struct field ${field} of type int32`)
    }))

  it('F1: a strategic merge patch is refused with itself, and changes nothing', () =>
    withServer(async kit => {
      const made = await create(kit, `${apps}/deployments`, deployment({}))
      const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
      const { status, json } = await kit.call('PATCH', `${apps}/deployments/a`, { spec: { replicas: '3' } }, strategic)
      const why = 'Invalid value: "map[spec:map[replicas:3]]": unrecognized type: int32'
      expect([status, json.message]).toEqual([422, ` "" is invalid: patch: ${why}`])
      expect((await kit.call('GET', `${apps}/deployments/a`)).json).toEqual(made)
    }))

  it('F1: integers are as large as their types: 64 bits where Go has so many', () =>
    withServer(async kit => {
      const pod = (spec: string): Promise<Answer> =>
        kit.call(
          'POST',
          `${core}/pods?dryRun=All`,
          `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}],${spec}}}`,
        )
      expect((await pod('"terminationGracePeriodSeconds":9223372036854775807')).status).toBe(201)
      expect((await pod('"terminationGracePeriodSeconds":9223372036854775808')).status).toBe(400)
      // The value is read: admission refuses it, for a Pod without a class has the priority 0.
      expect((await pod('"priority":2147483647')).status).toBe(403)
      expect((await pod('"priority":0')).status).toBe(201)
      expect((await pod('"priority":2147483648')).status).toBe(400)
    }))
})

describe('defaults of built-ins', () => {
  it('F1: a template of a Pod has the defaults of a Pod, whatever it is in', () =>
    withServer(async kit => {
      for (const plural of ['deployments', 'statefulsets', 'daemonsets', 'replicasets']) {
        const { spec } = await create(kit, `${apps}/${plural}`, {
          metadata: { name: 'a' },
          spec: { selector, template },
        })
        expect(spec.template).toEqual({ metadata: { labels: { app: 'a' } }, spec: filledIn })
      }
      const job = { template: { spec: { ...template.spec, restartPolicy: 'Never' } } }
      const { spec } = await create(kit, '/apis/batch/v1/namespaces/default/cronjobs', {
        metadata: { name: 'a' },
        spec: { schedule: '* * * * *', jobTemplate: { spec: job } },
      })
      expect(spec.jobTemplate.spec.template.spec).toEqual({ ...filledIn, restartPolicy: 'Never' })
    }))

  it('F1: defaults belong to the manager of a create, and not to that of an apply', () =>
    withServer(async kit => {
      const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { selector, template } }
      const created = await create(kit, `${apps}/deployments?fieldManager=me`, body)
      expect(created.metadata.managedFields[0].fieldsV1['f:spec']).toHaveProperty('f:replicas')
      const url = `${apps}/deployments/b?fieldManager=me`
      const { json } = await kit.call('PATCH', url, { ...body, metadata: { name: 'b' } }, applied)
      expect(Object.keys(json.metadata.managedFields[0].fieldsV1['f:spec'])).toEqual(['f:selector', 'f:template'])
      await kit.sim.advance(2000)
      const again = await kit.call('PATCH', url, { ...body, metadata: { name: 'b', creationTimestamp: null } }, applied)
      expect(again.json).toEqual(json)
    }))

  it('F1: a write of what leaves the defaults out, or says it in other words, changes nothing', () =>
    withServer(async kit => {
      const pod = {
        metadata: { name: 'a', creationTimestamp: null },
        spec: {
          containers: [
            {
              ...containers[0],
              args: [],
              env: [{ name: 'E', value: '' }],
              ports: [{ containerPort: 80 }],
              resources: { limits: { cpu: '1000m', memory: '1024Mi' } },
            },
          ],
          hostNetwork: false,
          nodeSelector: {},
        },
      }
      const { metadata, spec } = await create(kit, `${core}/pods`, pod)
      expect(spec.containers[0]).toMatchObject({
        env: [{ name: 'E' }],
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
      })
      expect(Object.keys(spec)).not.toContain('hostNetwork')
      const { json } = await kit.call('PUT', `${core}/pods/a`, pod)
      expect(json.metadata.resourceVersion).toBe(metadata.resourceVersion)
    }))

  it('F1: an image with a tag or a name that no image has is pulled if it is not present', () =>
    withServer(async kit => {
      const images = ['i', 'i:latest', 'i:1', 'I:latest', 'a/B:latest', 'i:1:latest', 'h:80/i']
      const named = images.map((image, i) => ({ name: `c${i}`, image }))
      const { spec } = await create(kit, `${core}/pods`, { metadata: { name: 'a' }, spec: { containers: named } })
      const [always, absent] = ['Always', 'IfNotPresent']
      expect(spec.containers.map((one: { imagePullPolicy: string }) => one.imagePullPolicy)).toEqual([
        always,
        always,
        absent,
        absent,
        absent,
        absent,
        always,
      ])
    }))

  it('F1: times are stored in UTC, in the precision of their fields', () =>
    withServer(async kit => {
      const [lastTimestamp, firstTimestamp] = ['2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00.123Z']
      const { json } = await kit.call('POST', `${core}/events`, {
        ...{ metadata: { name: 'a' }, involvedObject: { namespace: 'default' }, firstTimestamp, lastTimestamp },
      })
      expect([json.firstTimestamp, json.lastTimestamp]).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'])
    }))

  it('F1: a status has no zeros that Go leaves out, and null for times that are missing', () =>
    withServer(async kit => {
      const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
      await create(kit, budgets, { metadata: { name: 'a' }, spec: { minAvailable: 0, selector } })
      const [reason, lastTransitionTime] = ['R', '2026-01-01T00:00:00Z']
      const condition = { type: 'X', status: 'True', reason, message: '', lastTransitionTime }
      const status = { observedGeneration: 0, conditions: [{ ...condition, observedGeneration: 0 }] }
      const budget = (await kit.call('PATCH', `${budgets}/a/status`, { status }, merge)).json.status
      expect([budget.conditions, 'observedGeneration' in budget]).toEqual([[condition], false])
      await create(kit, `${apps}/statefulsets`, { metadata: { name: 'a' }, spec: { selector, template } })
      const short = { status: { conditions: [{ type: 'X', status: 'True' }] } }
      const { json } = await kit.call('PATCH', `${apps}/statefulsets/a/status`, short, merge)
      expect(json.status.conditions).toEqual([{ type: 'X', status: 'True', lastTransitionTime: null }])
    }))

  it('F1: a new DaemonSet keeps a count of templates that it names', () =>
    withServer(async kit => {
      const annotation = 'deprecated.daemonset.template.generation'
      const counts = ['5', '0', undefined].map(async (count, i) => {
        const metadata = { name: `a${i}`, annotations: count === undefined ? {} : { [annotation]: count } }
        const created = await create(kit, `${apps}/daemonsets`, { metadata, spec: { selector, template } })
        return created.metadata.annotations[annotation]
      })
      expect(await Promise.all(counts)).toEqual(['5', '1', '1'])
    }))

  it('F1: what a webhook adds has defaults, too', async () => {
    const sidecar = { op: 'add', path: '/spec/containers/-', value: { name: 'd', image: 'i' } }
    const patch = Buffer.from(JSON.stringify([sidecar])).toString('base64')
    const webhooks = async ({ review }: { review: unknown }): Promise<unknown> => {
      const { apiVersion, kind, request } = review as { apiVersion: string; kind: string; request: { uid: string } }
      return { apiVersion, kind, response: { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch } }
    }
    await withServer(
      async kit => {
        await create(kit, '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
          metadata: { name: 'w' },
          webhooks: [
            {
              name: 'w.example.com',
              admissionReviewVersions: ['v1'],
              sideEffects: 'None',
              clientConfig: { url: 'https://hook.example/x' },
              rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
            },
          ],
        })
        const { spec } = await create(kit, `${core}/pods`, { metadata: { name: 'a' }, spec: { containers } })
        expect(spec.containers[1]).toEqual({ ...filledIn.containers[0], name: 'd' })
      },
      { webhooks },
    )
  })
})

describe('Services', () => {
  it('F1: have an address that no other has, keep it, and leave it when they go', () =>
    withServer(async kit => {
      const ports = [{ port: 80 }]
      const { spec } = await create(kit, `${core}/services`, { metadata: { name: 'a' }, spec: { ports } })
      expect(spec).toMatchObject({
        type: 'ClusterIP',
        clusterIPs: [spec.clusterIP],
        ipFamilies: ['IPv4'],
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      })
      const { json } = await kit.call('PUT', `${core}/services/a`, { metadata: { name: 'a' }, spec: { ports } })
      expect(json.spec).toEqual(spec)
      const same = { metadata: { name: 'b' }, spec: { ports, clusterIP: spec.clusterIP } }
      expect((await kit.call('POST', `${core}/services`, same)).json.message).toMatch(
        /provided IP is already allocated$/,
      )
      expect(await refusal(kit, `${core}/services/a`, { spec: { clusterIP: '10.0.0.250' } })).toEqual([
        'spec.clusterIPs[0]: Invalid value: ["10.0.0.250"]: may not change once set',
      ])
      await kit.call('DELETE', `${core}/services/a`)
      await create(kit, `${core}/services`, same)
    }))

  it('F1: have a port on the nodes while their type wants one', () =>
    withServer(async kit => {
      const spec = { type: 'NodePort', ports: [{ port: 80 }] }
      const created = await create(kit, `${core}/services`, { metadata: { name: 'a' }, spec })
      expect(created.spec.ports[0].nodePort).toBeGreaterThanOrEqual(30_000)
      const { json } = await kit.call('PATCH', `${core}/services/a`, { spec: { type: 'ClusterIP' } }, merge)
      expect(json.spec.ports).toEqual([{ port: 80, protocol: 'TCP', targetPort: 80 }])
    }))
})

describe('updates of built-ins', () => {
  it('F1: refuse another spec of a Pod but for its images, tolerations and deadline', () =>
    withServer(async kit => {
      const tolerations = [{ key: 'k', operator: 'Exists' }]
      await create(kit, `${core}/pods`, { metadata: { name: 'a' }, spec: { containers, tolerations } })
      const image = { spec: { containers: [{ name: 'c', image: 'j' }] } }
      expect((await kit.call('PATCH', `${core}/pods/a`, image, merge)).status).toBe(200)
      expect((await refusal(kit, `${core}/pods/a`, { spec: { nodeName: 'n' } }))[0]).toMatch(
        /^spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`/,
      )
      expect(await refusal(kit, `${core}/pods/a`, { spec: { tolerations: [] } })).toEqual([
        'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
      ])
      expect(await refusal(kit, `${core}/pods/a`, { spec: { activeDeadlineSeconds: -1 } })).toEqual([
        'spec.activeDeadlineSeconds: Invalid value: -1: must be between 1 and 2147483647, inclusive',
        'spec.activeDeadlineSeconds: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      ])
    }))

  it('F1: refuse white space around the image of a Pod, but not of a template, and quote it as Go does', () =>
    withServer(async kit => {
      const spec = { containers: [{ name: 'c', image: '\u00a0i' }] }
      const { status, json } = await kit.call('POST', `${core}/pods`, { metadata: { name: 'a' }, spec })
      const why = String.raw`spec.containers[0].image: Invalid value: "\u00a0i": must not have leading or trailing whitespace`
      expect([status, json.message]).toEqual([422, `Pod "a" is invalid: ${why}`])
      await create(kit, `${core}/pods`, { metadata: { name: 'a' }, spec: { containers } })
      expect((await refusal(kit, `${core}/pods/a`, { spec }))[0]).toBe(why)
      await create(kit, `${apps}/deployments`, {
        metadata: { name: 'a' },
        spec: { selector, template: { ...template, spec } },
      })
    }))

  it('F1: take a narrower node affinity of a Pod that waits at a gate, and refuse any other', () =>
    withServer(async kit => {
      const exists = (...keys: string[]): object => ({
        matchExpressions: keys.map(key => ({ key, operator: 'Exists' })),
      })
      const affinity = (...terms: object[]): { spec: object } => ({
        spec: {
          affinity: {
            nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
          },
        },
      })
      const spec = { containers, schedulingGates: [{ name: 'g' }] }
      await create(kit, `${core}/pods`, { metadata: { name: 'a' }, spec })
      for (const narrower of [affinity(exists('x')), affinity(exists('x', 'y'))])
        expect((await kit.call('PATCH', `${core}/pods/a`, narrower, merge)).status).toBe(200)
      const field = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms'
      const x = '{"Key":"x","Operator":"Exists","Values":null}'
      expect(await refusal(kit, `${core}/pods/a`, affinity(exists('x')))).toEqual([
        `${field}[0]: Invalid value: {"MatchExpressions":[${x}],"MatchFields":null}: only additions are allowed (no mutations or deletions)`,
      ])
      expect(await refusal(kit, `${core}/pods/a`, { spec: { affinity: null } })).toEqual([
        `${field}: Invalid value: null: no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
      ])
      const away = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] } }
      expect((await refusal(kit, `${core}/pods/a`, { spec: { affinity: away } }))[0]).toMatch(
        /^spec: Forbidden: pod updates may not change fields/,
      )
    }))

  it('F1: refuse another spec of a claim, but for its volume once and its size when it is bound', () =>
    withServer(async kit => {
      const a = `${core}/persistentvolumeclaims/a`
      const sized = (storage: string): object => ({ spec: { resources: { requests: { storage } } } })
      const body = {
        metadata: { name: 'a' },
        spec: { accessModes: ['ReadWriteOnce'], ...(sized('1Gi') as { spec: object }).spec },
      }
      const { metadata } = await create(kit, `${core}/persistentvolumeclaims`, body)
      expect(metadata.finalizers).toEqual(['kubernetes.io/pvc-protection'])
      const why =
        'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
      expect(await refusal(kit, a, sized('2Gi'))).toEqual([why])
      expect((await kit.call('PATCH', a, { spec: { volumeName: 'v' } }, merge)).status).toBe(200)
      expect(await refusal(kit, a, { spec: { volumeName: null } })).toEqual([why])
      await kit.call('PATCH', `${a}/status`, { status: { phase: 'Bound' } }, merge)
      expect((await kit.call('PATCH', a, sized('2048Mi'), merge)).json.spec.resources.requests.storage).toBe('2Gi')
    }))

  it('F1: refuse another template, selector and number of completions of a Job', () =>
    withServer(async kit => {
      const jobs = '/apis/batch/v1/namespaces/default/jobs'
      const spec = { template: { spec: { restartPolicy: 'Never', containers } } }
      const job = await create(kit, jobs, { metadata: { name: 'a' }, spec })
      expect(job.spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': job.metadata.uid } })
      expect(job.metadata.labels).toEqual(job.spec.template.metadata.labels)
      const other = { spec: { completions: 3, template: { spec: { containers: [{ name: 'c', image: 'j' }] } } } }
      const causes = await refusal(kit, `${jobs}/a`, other)
      expect(causes.map(cause => cause.split(':')[0])).toEqual(['spec.completions', 'spec.template'])
      const put = await kit.call('PUT', `${jobs}/a`, { metadata: { name: 'a' }, spec })
      expect(put.json.details.causes[0]).toEqual({
        reason: 'FieldValueRequired',
        message: 'Required value',
        field: 'spec.selector',
      })
    }))

  it.for([
    ['deployments', 'spec.selector', { selector: { matchLabels: { app: 'b' } } }],
    ['statefulsets', 'spec.serviceName', { serviceName: 'b' }],
    ['statefulsets', 'spec.podManagementPolicy', { podManagementPolicy: 'Parallel' }],
    ['daemonsets', 'spec.selector', { selector: { matchLabels: { app: 'b' } } }],
    ['replicasets', 'spec.selector', { selector: { matchLabels: { app: 'b' } } }],
  ] as const)('F1: refuse another field of %s: %s', ([plural, field, spec]) =>
    withServer(async kit => {
      await create(kit, `${apps}/${plural}`, { metadata: { name: 'a' }, spec: { selector, template } })
      const causes = await refusal(kit, `${apps}/${plural}/a`, { spec })
      const why = new RegExp(`^${field}: Invalid value: .*: field is immutable$`)
      expect(causes.filter(cause => why.test(cause))).toHaveLength(1)
    }),
  )

  it('F1: refuse another role of a binding', () =>
    withServer(async kit => {
      const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings'
      const subjects = [{ kind: 'User', name: 'u' }]
      const made = await create(kit, bindings, {
        metadata: { name: 'a' },
        roleRef: { kind: 'Role', name: 'r' },
        subjects,
      })
      expect(made.subjects[0].apiGroup).toBe('rbac.authorization.k8s.io')
      expect((await refusal(kit, `${bindings}/a`, { roleRef: { name: 's' } }))[0]).toMatch(/^roleRef: .*immutable$/)
    }))
})

describe('pods/binding', () => {
  it('F1: gives a Pod its node and what else the binding says, once', () =>
    withServer(async kit => {
      const { metadata } = await create(kit, `${core}/pods`, { metadata: { name: 'a' }, spec: { containers } })
      const binding = { metadata: { name: 'a', annotations: { x: 'y' } }, target: { kind: 'Node', name: 'n' } }
      const other = { ...binding, metadata: { name: 'a', uid: 'other' } }
      expect((await kit.call('POST', `${core}/pods/a/binding`, other)).status).toBe(409)
      expect((await create(kit, `${core}/pods/a/binding`, binding)).status).toBe('Success')
      const { json } = await kit.call('GET', `${core}/pods/a`)
      expect(json).toMatchObject({
        metadata: { annotations: { x: 'y' }, managedFields: metadata.managedFields },
        spec: { nodeName: 'n' },
        status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
      })
      const again = await kit.call('POST', `${core}/pods/a/binding`, binding)
      expect([again.status, again.json.reason, again.json.message]).toEqual([
        409,
        'Conflict',
        'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n"',
      ])
    }))

  it('F1: refuses a Pod that waits at a gate', () =>
    withServer(async kit => {
      const spec = { containers, schedulingGates: [{ name: 'g' }] }
      await create(kit, `${core}/pods`, { metadata: { name: 'a' }, spec })
      const binding = { metadata: { name: 'a' }, target: { name: 'n' } }
      expect((await kit.call('POST', `${core}/bindings`, binding)).json.message).toMatch(
        /non-empty .spec.schedulingGates$/,
      )
    }))
})

describe('a scale', () => {
  it('F1: owns the replicas if somebody owned them before, and else does not', () =>
    withServer(async kit => {
      const body = (replicas?: number): object => ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec: { ...(replicas === undefined ? {} : { replicas }), selector, template },
      })
      const owners = async (): Promise<string[]> => {
        const { metadata } = (await kit.call('GET', `${apps}/deployments/a`)).json
        const entries = metadata.managedFields as {
          manager: string
          subresource?: string
          fieldsV1: Record<string, object>
        }[]
        return entries
          .filter(({ fieldsV1 }) => 'f:replicas' in (fieldsV1['f:spec'] ?? {}))
          .map(({ manager, subresource }) => `${manager}/${subresource}`)
      }
      const scale = (replicas: number): Promise<Answer> =>
        kit.call('PATCH', `${apps}/deployments/a/scale?fieldManager=scaler`, { spec: { replicas } }, merge)
      await kit.call('PATCH', `${apps}/deployments/a?fieldManager=me`, body(), applied)
      await scale(5)
      expect(await owners()).toEqual([])
      await kit.call('PATCH', `${apps}/deployments/a?fieldManager=me`, body(3), applied)
      await scale(6)
      expect(await owners()).toEqual(['scaler/scale'])
      await scale(0)
      expect(await owners()).toEqual([])
    }))
})

describe('an apply that names a version', () => {
  it('F1: of 0 is to whatever is there, and of any other only to that', () =>
    withServer(async kit => {
      const of = (resourceVersion: string): Promise<Answer> =>
        kit.call(
          'PATCH',
          `${core}/configmaps/a?fieldManager=me`,
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', resourceVersion }, data: { a: '1' } },
          applied,
        )
      expect((await of('1')).status).toBe(201)
      expect((await of('1')).status).toBe(409)
      expect((await of('0')).status).toBe(200)
    }))

  it("F4: fills in each form of a claim's source from the other, and drops a source that only one can name", async () => {
    await withServer(async kit => {
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
      const sourcesOf = async (name: string, sources: object): Promise<unknown> => {
        const claim = { metadata: { name }, spec: { ...spec, ...sources } }
        const { dataSource, dataSourceRef } = (await create(kit, `${core}/persistentvolumeclaims`, claim)).spec
        return { dataSource, dataSourceRef }
      }
      const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' }
      const other = { apiGroup: 'example.com', kind: 'Other', name: 'o' }
      const both = { dataSource: snapshot, dataSourceRef: snapshot }
      expect(await sourcesOf('a', { dataSource: snapshot })).toEqual(both)
      expect(await sourcesOf('b', { dataSourceRef: snapshot })).toEqual(both)
      expect(await sourcesOf('c', { dataSource: other })).toEqual({})
      expect(await sourcesOf('d', { dataSourceRef: other })).toEqual({ dataSource: other, dataSourceRef: other })
      expect(await sourcesOf('e', { dataSourceRef: { ...snapshot, namespace: 'n' } })).toEqual({})
      expect(
        await refusal(kit, `${core}/persistentvolumeclaims/a`, { spec: { dataSource: null, dataSourceRef: null } }),
      ).toEqual([
        'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      ])
      const status = { capacity: { storage: '-1Gi' }, allocatedResourceStatuses: { storage: 'Other' } }
      expect(await refusal(kit, `${core}/persistentvolumeclaims/a/status`, { status })).toEqual([
        'status.capacity[storage]: Invalid value: -1073741824: must be a valid resource quantity',
        expect.stringMatching(/^status.allocatedResourceStatuses: Unsupported value: "storage"/),
      ])
    })
  })

  it('F4: a null item of a list of numbers is read as 0', async () => {
    await withServer(async kit => {
      const spec = { containers, securityContext: { supplementalGroups: [1, null] } }
      const pod = await create(kit, `${core}/pods`, { metadata: { name: 'a' }, spec })
      expect(pod.spec.securityContext.supplementalGroups).toEqual([1, 0])
    })
  })

  it('F4: checks an empty list of what a node can allocate as it is, and then fills it in', async () => {
    await withServer(async kit => {
      const node = (capacity: object): object => ({ metadata: { name: 'n' }, status: { capacity, allocatable: {} } })
      const { json } = await kit.call('POST', '/api/v1/nodes', node({ pods: '500m' }))
      expect(json.details.causes.map(({ field }: { field: string }) => field)).toEqual(['status.capacity.pods'])
      const { status } = await create(kit, '/api/v1/nodes', node({ pods: '5' }))
      expect(status.allocatable).toEqual({ pods: '5' })
    })
  })
})
