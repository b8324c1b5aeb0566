import { type Client, defineResource, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, events, namespaces } from '@wherry/client/resources/core'
import { ingresses } from '@wherry/client/resources/networking'
import { conditionOf } from '@wherry/controller'
import { type AccessAttributes, type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { configs } from './config.ts'
import { constraintGroup } from './constraint.ts'
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

it('W2: two Ingresses with one host are found, told of by an event, and no longer found once one of them goes', async () => {
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
    const told = (await client.list(events)).items.map(({ reason, message }) => `${reason} ${message}`)
    expect(told).toContainEqual(expect.stringContaining('Ingress.networking.k8s.io default/c: another Ingress'))
  })
  await client.delete(ingresses, { namespace: 'default', name: 'a' })
  await vi.waitFor(async () => expect(await status()).toMatchObject({ totalViolations: 0, violations: [] }))
  const watched = running.operator.manager.watched.filter(({ resource }) => resource.kind === 'Ingress')
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

  // What is violated is told of while the slow policy stands, and the slow one works again once it is mended.
  await client.create(namespaces, { metadata: { name: 'nobodys' } })
  await vi.waitFor(async () => expect(await names()).toContain('nobodys'))
  await client.patch(templates, { name: 'slows' }, { spec: { expression: 'object.metadata.name != "nobodys"' } })
  await vi.waitFor(async () => expect(await readiness(slow)).toBe('Compiled'))
  await vi.waitFor(async () => expect(await ofSlow()).toMatchObject({ totalViolations: 1 }))
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
  const kinds = (): string[] => running.operator.manager.intended.map(({ resource }) => resource.kind)
  await vi.waitFor(() => expect(kinds()).not.toContain('RequiredLabels'))
  expect(kinds()).not.toContain('Namespace')
})

it('a template whose definition the server refuses is never ready, however often it is tried, and says all that is wrong', async () => {
  const name = { name: 'requiredlabels' }
  const heard: (string | undefined)[] = []
  const watch = client.watchEach(templates, {
    event: (_, { status }) => {
      const reason = conditionOf(status?.conditions, 'Ready')?.reason
      if (reason !== heard.at(-1)) heard.push(reason)
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
    expect(heard.slice(heard.indexOf('Compiled'))).toEqual(['Compiled', 'Refused'])

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
    expect(heard).not.toContain('NotWatched')
    refuse = () => false
    await client.patch(templates, name, { spec: { ...requiredLabels.spec, parameters } })
    await vi.waitFor(async () => expect(await readiness(requiredLabels)).toBe('Compiled'))
  } finally {
    watch.abort()
  }
})
