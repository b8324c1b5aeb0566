import { type Client, defineResource, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, events, namespaces, pods } from '@wherry/client/resources/core'
import { ingresses } from '@wherry/client/resources/networking'
import { conditionOf } from '@wherry/controller'
import { type AccessAttributes, type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { WatchManager } from '@wherry/watch-manager'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { configs } from './config.ts'
import { constraintGroup } from './constraint.ts'
import { withoutKinds } from './constraint-audit.ts'
import { ownPolicies } from './own-policies.ts'
import { type ConstraintTemplate, definitionName, templates } from './template.ts'
import { audited, constrain, installed, Running, sync } from './testkit/running.ts'
import { requiredLabels, uniqueHosts } from './testkit/templates.ts'

const ingressKind = { group: 'networking.k8s.io', kind: 'Ingress' }

let server: EmbeddedApiServer
let client: Client
let running: Running

/** What the server refuses. */
let refuse: (asked: AccessAttributes) => boolean

beforeEach(async () => {
  refuse = () => false
  server = await startApiServer({ kind: 'embedded', authorization: asked => !refuse(asked) })
  client = await installed(server)
  running = new Running(client)
})

afterEach(async () => {
  await running.close()
  await client.close()
  await server.close()
})

const ingress = (name: string, host: string): Promise<unknown> =>
  client.create(ingresses, {
    metadata: { namespace: 'default', name },
    spec: {
      rules: [
        {
          host,
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
          },
        },
      ],
    },
  })

const readiness = async ({ metadata }: ConstraintTemplate): Promise<string | undefined> =>
  conditionOf((await client.get(templates, { name: metadata?.name ?? '' }))?.status?.conditions, 'Ready')?.reason

it('W2: two Ingresses with one host are found, reported by an event, and no longer found once one of them goes', async () => {
  await client.create(templates, uniqueHosts)
  const status = await constrain(client, uniqueHosts, 'hosts', { match: [ingressKind] })
  await vi.waitFor(async () => expect(audited(await status())).toBe('NotSynced'))
  await sync(client, ingressKind)
  await vi.waitFor(async () => expect(audited(await status())).toBe('Audited'))
  expect(await status()).toMatchObject({ totalViolations: 0, violations: [] })
  await ingress('a', 'one.example.com')
  await ingress('b', 'two.example.com')
  await ingress('c', 'one.example.com')
  const of = (name: string) => ({
    kind: 'Ingress.networking.k8s.io',
    namespace: 'default',
    name,
    message: 'another Ingress has the host',
  })
  await vi.waitFor(async () =>
    expect(await status()).toMatchObject({ totalViolations: 2, violations: [of('a'), of('c')] }),
  )
  await vi.waitFor(async () => {
    const reported = (await client.list(events)).items.map(({ reason, message }) => `${reason} ${message}`)
    expect(reported).toContainEqual(expect.stringContaining('Ingress.networking.k8s.io default/c: another Ingress'))
  })
  await client.delete(ingresses, { namespace: 'default', name: 'a' })
  await vi.waitFor(async () => expect(await status()).toMatchObject({ totalViolations: 0, violations: [] }))
  const watched = running.operator.manager(WatchManager).watched.filter(({ resource }) => resource.kind === 'Ingress')
  expect(watched).toHaveLength(1)
  const { byVerb } = await server.stats()
  expect(byVerb.watch?.['ingresses.networking.k8s.io']?.requests).toBe(1)
})

it('a kind that is not installed is pending, and a kind that leaves the Config leaves the policy store', async () => {
  const widgets = defineResource<KubernetesObject>({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    namespaced: true,
  })
  const states = async (): Promise<unknown> =>
    (await client.get(configs, { name: 'config' }))?.status?.kinds?.map(({ kind, state }) => `${kind} ${state}`)
  await client.create(configMaps, { metadata: { namespace: 'default', name: 'a' } })
  await sync(client, { group: '', kind: 'ConfigMap' }, { group: 'example.com', kind: 'Widget' })
  await vi.waitFor(async () => expect(await states()).toEqual(['ConfigMap Synced', 'Widget Pending']))
  expect(running.policySync.synced.lookup('ConfigMap', 'metadata.name', 'a')).toHaveLength(1)
  await client.create(customResourceDefinitions, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  })
  await vi.waitFor(async () => expect(await states()).toEqual(['ConfigMap Synced', 'Widget Synced']))
  await vi.waitFor(() => client.create(widgets, { metadata: { namespace: 'default', name: 'b' } }))
  await vi.waitFor(() => expect(running.policySync.synced.objects('Widget.example.com')).toHaveLength(1))
  await sync(client, { group: 'example.com', kind: 'Widget' })
  await vi.waitFor(() => expect(running.policySync.synced.kinds).toEqual(['Widget.example.com']))
  expect(running.policySync.synced.lookup('ConfigMap', 'metadata.name', 'a')).toEqual([])
  await client.delete(configs, { name: 'config' })
  await vi.waitFor(() => expect(running.policySync.synced.kinds).toEqual([]))
})

it('a policy that does not compile, or takes too long, is named in its template, and the others go on', async () => {
  await client.create(namespaces, { metadata: { name: 'arcade', labels: { owner: 'me' } } })
  const digits = '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]'
  const nested = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].reduceRight(
    (inner, name) => `${digits}.all(${name}, ${inner})`,
    'object != null',
  )
  const broken: ConstraintTemplate = { ...structuredClone(requiredLabels), metadata: { name: 'brokens' } }
  broken.spec = { kind: 'Broken', expression: 'object.spec.(', message: '' }
  const slow: ConstraintTemplate = {
    metadata: { name: 'slows' },
    spec: { kind: 'Slow', expression: nested, message: '' },
  }
  const number: ConstraintTemplate = {
    metadata: { name: 'numbers' },
    spec: { kind: 'Number', expression: '1 + 1', message: '' },
  }
  for (const template of [broken, slow, number, requiredLabels]) await client.create(templates, template)
  const match = [{ group: '', kind: 'Namespace' }]
  const ofBroken = await constrain(client, broken, 'x', { match })
  const ofSlow = await constrain(client, slow, 'x', { match })
  const labels = await constrain(client, requiredLabels, 'x', { match, parameters: { labels: ['owner'] } })
  await vi.waitFor(async () => expect(await readiness(broken)).toBe('DoesNotCompile'))
  await vi.waitFor(async () => expect(await readiness(number)).toBe('DoesNotCompile'))
  await vi.waitFor(async () => expect(await readiness(slow)).toBe('TooSlow'))
  await vi.waitFor(async () => expect(audited(await ofBroken())).toBe('PolicyFailed'))
  await vi.waitFor(async () => expect(audited(await ofSlow())).toBe('PolicyFailed'))
  const names = async () => (await labels()).violations?.map(({ name }) => name)
  await vi.waitFor(async () => expect(await names()).toContain('default'))
  expect(await names()).not.toContain('arcade')
  expect(await readiness(requiredLabels)).toBe('Compiled')

  // Violations are reported while the slow policy stands, and the slow one works again once it is mended.
  await client.create(namespaces, { metadata: { name: 'nobodys' } })
  await vi.waitFor(async () => expect(await names()).toContain('nobodys'))
  await client.patch(templates, { name: 'slows' }, { spec: { expression: 'object.metadata.name != "nobodys"' } })
  await vi.waitFor(async () => expect(await readiness(slow)).toBe('Compiled'))
  await vi.waitFor(async () => expect(await ofSlow()).toMatchObject({ totalViolations: 1 }))
})

it('a policy in TypeScript decides together with those in CEL, on what it looks up too, and is named if there is none', async () => {
  await running.close()
  const path = 'data.host'
  const configMap = { group: '', kind: 'ConfigMap' }
  running = new Running(client, {
    ...ownPolicies,
    oneHost: {
      looksUp: [{ ...configMap, path }],
      decide(object, { lookup }) {
        const { host } = (object as { data?: { host?: string } }).data ?? {}
        const others = lookup({ ...configMap, path }, host).filter(one => one.metadata?.uid !== object.metadata?.uid)
        return host === undefined || others.length === 0 ? undefined : `${others.length} others have ${host}`
      },
    },
    endless: {
      decide() {
        for (;;);
      },
    },
    undeclared: { decide: (_, { lookup }) => `${lookup({ ...configMap, path }, 'x')}` },
  })
  await sync(client, configMap)
  const of = (kind: string, policy: string): ConstraintTemplate => ({
    metadata: { name: `${kind.toLowerCase()}s` },
    spec: { kind, policy, parameters: { type: 'object', properties: { maxMemoryMi: { type: 'integer' } } } },
  })
  const made = [
    of('Limit', 'memoryLimits'),
    of('Host', 'oneHost'),
    of('Endless', 'endless'),
    of('Undeclared', 'undeclared'),
  ]
  for (const template of [...made, of('Missing', 'toString')]) await client.create(templates, template)
  const [limit, host, endless, undeclared] = made as [
    ConstraintTemplate,
    ConstraintTemplate,
    ConstraintTemplate,
    ConstraintTemplate,
  ]
  const pod = (name: string, ...limits: (string | undefined)[]) =>
    client.create(pods, {
      metadata: { name, namespace: 'default' },
      spec: {
        containers: limits.map((memory, i) => ({
          name: `c${i}`,
          image: 'x',
          ...(memory !== undefined && { resources: { limits: { memory } } }),
        })),
      },
    })
  await pod('small', '100Mi', '0.25Gi')
  await pod('large', '100Mi', '1Gi')
  await pod('open', '1Mi', undefined)
  await pod('odd', '1Pi')
  const limits = await constrain(client, limit, 'x', {
    match: [{ group: '', kind: 'Pod' }],
    parameters: { maxMemoryMi: 512 },
  })
  await vi.waitFor(async () => expect(await limits()).toMatchObject({ totalViolations: 3 }))
  expect((await limits()).violations?.map(({ name, message }) => `${name}: ${message}`).sort()).toEqual([
    'large: its limits of memory are 1124 MiB together, more than 512',
    'odd: the policy failed: the limit 1Pi is not understood',
    'open: no limit of memory: c1',
  ])
  for (const name of ['a', 'b']) {
    await client.create(configMaps, { metadata: { name, namespace: 'default' }, data: { host: 'x' } })
  }
  const hosts = await constrain(client, host, 'x', { match: [configMap] })
  await vi.waitFor(async () => expect(await hosts()).toMatchObject({ totalViolations: 2 }))
  expect((await hosts()).violations?.[0]?.message).toBe('1 others have x')
  await constrain(client, endless, 'x', { match: [configMap] })
  await vi.waitFor(async () => expect(await readiness(endless)).toBe('TooSlow'))
  const failing = await constrain(client, undeclared, 'x', { match: [configMap] })
  const message = 'the policy failed: ConfigMap data.host is not in its looksUp'
  await vi.waitFor(async () => expect((await failing()).violations?.[0]?.message).toBe(message))
  expect(await readiness(of('Missing', 'toString'))).toBe('UnknownPolicy')
  const both = { metadata: { name: 'boths' }, spec: { kind: 'Both', policy: 'oneHost', expression: 'true' } }
  await expect(client.create(templates, both)).rejects.toThrow('either expression or policy is needed, and not both')
})

it('what the server refuses of a kind of constraints is named in its template, until it is allowed', async () => {
  const message = async (): Promise<string | undefined> =>
    conditionOf((await client.get(templates, { name: 'requiredlabels' }))?.status?.conditions, 'Ready')?.message
  await client.create(templates, requiredLabels)
  await vi.waitFor(async () => expect(await readiness(requiredLabels)).toBe('Compiled'))
  await running.close()
  refuse = ({ group, verb }) => group === constraintGroup && (verb === 'list' || verb === 'watch')
  // The template has run before the server refuses.
  const resource = definitionName('requiredlabels')
  await server.faults.add({ match: { verb: 'watch', resource }, nth: 1, effect: { kind: 'delay', ms: 500 } })
  running = new Running(client)
  await vi.waitFor(async () => expect(await readiness(requiredLabels)).toBe('NotWatched'))
  expect(await message()).toContain('requiredlabels.constraints.policy.example.com is forbidden')

  refuse = ({ group, subresource }) => group === constraintGroup && subresource === 'status'
  await vi.waitFor(async () => expect(await readiness(requiredLabels)).toBe('Compiled'))
  const match = [{ group: '', kind: 'Namespace' }]
  const status = await constrain(client, requiredLabels, 'x', { match, parameters: { labels: ['owner'] } })
  await vi.waitFor(async () => expect(await readiness(requiredLabels)).toBe('Refused'))
  expect(await message()).toContain('requiredlabels.constraints.policy.example.com "x" is forbidden')

  refuse = () => false
  await vi.waitFor(async () => expect(audited(await status())).toBe('Audited'))
  await vi.waitFor(async () => expect(await readiness(requiredLabels)).toBe('Compiled'))
})

it('D4: a template that goes takes its kind, its constraints and its watches along', async () => {
  await client.create(templates, requiredLabels)
  const match = [{ group: '', kind: 'Namespace' }]
  const status = await constrain(client, requiredLabels, 'x', { match, parameters: { labels: ['owner'] } })
  await vi.waitFor(async () => expect(audited(await status())).toBe('Audited'))
  await client.delete(templates, { name: 'requiredlabels' })
  await vi.waitFor(async () => {
    expect(await client.get(customResourceDefinitions, { name: definitionName('requiredlabels') })).toBeUndefined()
  })
  await vi.waitFor(() => expect(running.policySync.constraints.kinds).toEqual([]))
  await vi.waitFor(() => expect(running.policySync.audited.kinds).toEqual([]))
  const kinds = (): string[] => running.operator.manager(WatchManager).intended.map(({ resource }) => resource.kind)
  await vi.waitFor(() => expect(kinds()).not.toContain('RequiredLabels'))
  expect(kinds()).not.toContain('Namespace')
})

it('a template with a definition that the server refuses is never ready, however often it is tried, and says all that is wrong', async () => {
  const name = { name: 'requiredlabels' }
  const received: (string | undefined)[] = []
  const watch = client.watchEach(templates, {
    event: (_, { status }) => {
      const reason = conditionOf(status?.conditions, 'Ready')?.reason
      if (reason !== received.at(-1)) received.push(reason)
    },
    end: () => {},
  })
  try {
    await client.create(templates, requiredLabels)
    await vi.waitFor(async () => expect(await readiness(requiredLabels)).toBe('Compiled'))
    const { parameters } = requiredLabels.spec
    await client.patch(templates, name, { spec: { parameters: { properties: { labels: { type: 'nonsense' } } } } })
    // From this event on, the write is delayed.
    const recorded = async (): Promise<unknown[]> => (await client.list(events)).items.map(({ reason }) => reason)
    await vi.waitFor(async () => expect(await recorded()).toContain('ApplyRefused'))
    expect(await readiness(requiredLabels)).toBe('Refused')
    expect(received.slice(received.indexOf('Compiled'))).toEqual(['Compiled', 'Refused'])

    await running.close()
    refuse = ({ group, verb }) => group === constraintGroup && (verb === 'list' || verb === 'watch')
    running = new Running(client)
    await client.patch(templates, name, { spec: { expression: 'object.(' } })
    const condition = async () => conditionOf((await client.get(templates, name))?.status?.conditions, 'Ready')
    await vi.waitFor(async () =>
      expect(await condition()).toMatchObject({
        reason: 'Refused',
        message: expect.stringMatching(/nonsense.*; NotWatched: .*; DoesNotCompile: /s),
      }),
    )
    expect(received).not.toContain('NotWatched')
    refuse = () => false
    await client.patch(templates, name, { spec: { ...requiredLabels.spec, parameters } })
    await vi.waitFor(async () => expect(await readiness(requiredLabels)).toBe('Compiled'))
  } finally {
    watch.abort()
  }
})

it('a second template of one kind says that the server refuses the kind, and decides nothing until the first one goes', async () => {
  await client.create(templates, requiredLabels)
  const status = await constrain(client, requiredLabels, 'app', {
    match: [{ group: '', kind: 'ConfigMap' }],
    parameters: { labels: ['app'] },
  })
  await vi.waitFor(async () => expect(audited(await status())).toBe('Audited'))
  const second: ConstraintTemplate = {
    metadata: { name: 'requiredlabels2' },
    spec: { kind: 'RequiredLabels', expression: 'false', message: 'the second' },
  }
  await client.create(templates, second)
  await vi.waitFor(async () => expect(await readiness(second)).toMatch(/Conflict$/))
  const condition = conditionOf((await client.get(templates, { name: 'requiredlabels2' }))?.status?.conditions, 'Ready')
  expect(condition).toMatchObject({ status: 'False', message: expect.stringContaining('already in use') })
  expect(await readiness(requiredLabels)).toBe('Compiled')
  const review = () =>
    running.policySync.review(
      { group: '', kind: 'ConfigMap' },
      { metadata: { namespace: 'default', name: 'x', labels: { app: 'x' } } },
    )
  await vi.waitFor(() => expect(review()).toEqual({ denied: [], warnings: [], undecided: [] }))
  await client.delete(templates, { name: 'requiredlabels' })
  await vi.waitFor(async () => expect(await readiness(second)).toBe('Compiled'))
})

it('a template with a definition that is refused for a reason that nobody foresaw says so', async () => {
  refuse = ({ verb, resource }) => resource === 'customresourcedefinitions' && verb === 'patch'
  await client.create(templates, requiredLabels)
  await vi.waitFor(async () => expect(await readiness(requiredLabels)).toBe('Refused'))
  const { undecided } = running.policySync.review({ group: '', kind: 'ConfigMap' }, { metadata: { name: 'x' } })
  expect(undecided).toEqual([expect.stringContaining('RequiredLabels.constraints.policy.example.com: ')])
})

it('a review is undecided until the templates are known, and the operator has run for each', async () => {
  await running.close()
  await client.create(templates, requiredLabels)
  running = new Running(client)
  const undecided = () =>
    running.policySync.review({ group: '', kind: 'ConfigMap' }, { metadata: { name: 'x' } }).undecided
  expect(undecided()).toEqual(['the templates are being read'])
  await vi.waitFor(() => {
    const isReady = running.policySync.constraints.isReady('RequiredLabels.constraints.policy.example.com')
    // Nothing is allowed before the constraints are known.
    expect(undecided().length > 0 || isReady).toBe(true)
    expect(undecided()).toEqual([])
  })
})

it('of kinds that have gone no violations are counted, and none if that is not known', () => {
  const kinds = ['A', 'B'].map(kind => ({ group: 'example.com', kind }))
  const violation = (kind: string, name: string) => ({
    kind: `${kind}.example.com`,
    namespace: '',
    name,
    message: 'no',
  })
  const violations = [violation('A', 'a'), violation('B', 'b')]
  const left = (totalViolations: number, gone: typeof kinds) =>
    withoutKinds({ spec: { match: kinds }, status: { totalViolations, violations } }, gone)
  expect(left(80, kinds)).toEqual({ totalViolations: 0, violations: [] })
  expect(left(80, kinds.slice(0, 1))).toEqual({ violations: [violation('B', 'b')] })
  expect(left(2, kinds.slice(0, 1))).toEqual({ totalViolations: 1, violations: [violation('B', 'b')] })
  expect(left(80, [])).toEqual({ totalViolations: 80, violations })
})
