import { readFileSync } from 'node:fs'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, events, namespaces } from '@wherry/client/resources/core'
import { ingresses } from '@wherry/client/resources/networking'
import { conditionOf, Operator } from '@wherry/controller'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { configs } from './config.ts'
import type { Constraint, ConstraintStatus } from './constraint.ts'
import { cache, declarePolicySync, type PolicySync } from './operator.ts'
import { type ConstraintTemplate, constraintsOf, definitionName, templates } from './template.ts'

const within = { timeout: 30_000 }
const ingressKind = { group: 'networking.k8s.io', kind: 'Ingress' }

const uniqueHost: ConstraintTemplate = {
  metadata: { name: 'uniquehost' },
  spec: {
    kind: 'UniqueHost',
    expression: `object.spec.rules.all(rule, !lookup("networking.k8s.io", "Ingress", "spec.rules.host", rule.host)
      .exists(other, other.metadata.uid != object.metadata.uid))`,
    message: 'another Ingress has the host',
  },
}
const requiredLabels: ConstraintTemplate = {
  metadata: { name: 'requiredlabels' },
  spec: {
    kind: 'RequiredLabels',
    parameters: { type: 'object', properties: { labels: { type: 'array', items: { type: 'string' } } } },
    expression: 'has(object.metadata.labels) && params.labels.all(label, label in object.metadata.labels)',
    message: 'a label is missing',
  },
}

let server: EmbeddedApiServer
let client: Client
let operator: Operator
let running: Promise<void>
let policySync: PolicySync

function begin(): void {
  operator = new Operator({ name: 'policy-sync', client, cache })
  policySync = declarePolicySync(operator, { auditDelayMs: 10 })
  running = operator.run({ signals: false })
}

async function end(): Promise<void> {
  await operator.close()
  await running
}

beforeEach(async () => {
  server = await startApiServer({ kind: 'embedded' })
  client = new Client({ url: server.url, ca: server.ca, token: server.token })
  for (const document of parseAllDocuments(readFileSync(`${import.meta.dirname}/crd.yaml`, 'utf8'))) {
    await client.create(customResourceDefinitions, document.toJS())
  }
  await vi.waitFor(() => client.list(configs), within)
  await vi.waitFor(() => client.list(templates), within)
  begin()
})

afterEach(async () => {
  await end()
  await client.close()
  await server.close()
})

const sync = (...kinds: { group: string; kind: string }[]): Promise<unknown> =>
  client.apply(configs, { metadata: { name: 'config' }, spec: { sync: kinds } }, { fieldManager: 'user', force: true })

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

async function constrain(of: ConstraintTemplate, constraint: Constraint): Promise<() => Promise<ConstraintStatus>> {
  const resource = constraintsOf(of)
  const name = constraint.metadata?.name ?? ''
  await vi.waitFor(() => client.create(resource, constraint), within)
  return async () => (await client.get(resource, { name }))?.status ?? {}
}

const audited = ({ conditions }: ConstraintStatus): string | undefined => conditionOf(conditions, 'Audited')?.reason
const readiness = async ({ metadata }: ConstraintTemplate): Promise<string | undefined> =>
  conditionOf((await client.get(templates, { name: metadata?.name ?? '' }))?.status?.conditions, 'Ready')?.reason

it('W2: two Ingresses with one host are found, told of by an event, and no longer found once one of them goes', async () => {
  await client.create(templates, uniqueHost)
  const status = await constrain(uniqueHost, { metadata: { name: 'hosts' }, spec: { match: [ingressKind] } })
  await vi.waitFor(async () => expect(audited(await status())).toBe('NotSynced'), within)
  await sync(ingressKind)
  await vi.waitFor(async () => expect(audited(await status())).toBe('Audited'), within)
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
  await vi.waitFor(
    async () => expect(await status()).toMatchObject({ totalViolations: 2, violations: [of('a'), of('c')] }),
    within,
  )
  await vi.waitFor(async () => {
    const told = (await client.list(events)).items.map(({ reason, message }) => `${reason} ${message}`)
    expect(told).toContainEqual(expect.stringContaining('Ingress.networking.k8s.io default/c: another Ingress'))
  }, within)
  await client.delete(ingresses, { namespace: 'default', name: 'a' })
  await vi.waitFor(async () => expect(await status()).toMatchObject({ totalViolations: 0, violations: [] }), within)
  const watched = operator.manager.watched.filter(({ resource }) => resource.kind === 'Ingress')
  expect(watched).toHaveLength(1)
  const { byVerb } = await server.stats()
  expect(byVerb.watch?.['ingresses.networking.k8s.io']?.requests).toBe(1)
}, 60_000)

it('a kind that is not installed is pending, and a kind that leaves the Config leaves the policy store', async () => {
  const widgets = defineResource<KubernetesObject>({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    namespaced: true,
  })
  const states = async (): Promise<unknown> =>
    (await client.get(configs, { name: 'config' }))?.status?.kinds.map(({ kind, state }) => `${kind} ${state}`)
  await client.create(configMaps, { metadata: { namespace: 'default', name: 'a' } })
  await sync({ group: '', kind: 'ConfigMap' }, { group: 'example.com', kind: 'Widget' })
  await vi.waitFor(async () => expect(await states()).toEqual(['ConfigMap Synced', 'Widget Pending']), within)
  expect(policySync.synced.lookup('ConfigMap', 'metadata.name', 'a')).toHaveLength(1)
  await client.create(customResourceDefinitions, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  })
  await vi.waitFor(async () => expect(await states()).toEqual(['ConfigMap Synced', 'Widget Synced']), within)
  await vi.waitFor(() => client.create(widgets, { metadata: { namespace: 'default', name: 'b' } }), within)
  await vi.waitFor(() => expect(policySync.synced.objects('Widget.example.com')).toHaveLength(1), within)
  await sync({ group: 'example.com', kind: 'Widget' })
  await vi.waitFor(() => expect(policySync.synced.kinds).toEqual(['Widget.example.com']), within)
  expect(policySync.synced.lookup('ConfigMap', 'metadata.name', 'a')).toEqual([])
  await client.delete(configs, { name: 'config' })
  await vi.waitFor(() => expect(policySync.synced.kinds).toEqual([]), within)
}, 60_000)

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
  const ofBroken = await constrain(broken, { metadata: { name: 'x' }, spec: { match } })
  const ofSlow = await constrain(slow, { metadata: { name: 'x' }, spec: { match } })
  const labels = await constrain(requiredLabels, {
    metadata: { name: 'x' },
    spec: { match, parameters: { labels: ['owner'] } },
  })
  await vi.waitFor(async () => expect(await readiness(broken)).toBe('DoesNotCompile'), within)
  await vi.waitFor(async () => expect(await readiness(number)).toBe('DoesNotCompile'), within)
  await vi.waitFor(async () => expect(await readiness(slow)).toBe('TooSlow'), within)
  await vi.waitFor(async () => expect(audited(await ofBroken())).toBe('PolicyFailed'), within)
  await vi.waitFor(async () => expect(audited(await ofSlow())).toBe('PolicyFailed'), within)
  const names = async () => (await labels()).violations?.map(({ name }) => name)
  await vi.waitFor(async () => expect(await names()).toContain('default'), within)
  expect(await names()).not.toContain('arcade')
  expect(await readiness(requiredLabels)).toBe('Compiled')

  // What is violated is told of while the slow policy stands, and the slow one works again once it is mended.
  await client.create(namespaces, { metadata: { name: 'nobodys' } })
  await vi.waitFor(async () => expect(await names()).toContain('nobodys'), within)
  await client.patch(templates, { name: 'slows' }, { spec: { expression: 'object.metadata.name != "nobodys"' } })
  await vi.waitFor(async () => expect(await readiness(slow)).toBe('Compiled'), within)
  await vi.waitFor(async () => expect(await ofSlow()).toMatchObject({ totalViolations: 1 }), within)
}, 60_000)

it('D4: a template that goes takes its kind, its constraints and its watches along', async () => {
  await client.create(templates, requiredLabels)
  const match = [{ group: '', kind: 'Namespace' }]
  const status = await constrain(requiredLabels, {
    metadata: { name: 'x' },
    spec: { match, parameters: { labels: ['owner'] } },
  })
  await vi.waitFor(async () => expect(audited(await status())).toBe('Audited'), within)
  await client.delete(templates, { name: 'requiredlabels' })
  await vi.waitFor(async () => {
    expect(await client.get(customResourceDefinitions, { name: definitionName('requiredlabels') })).toBeUndefined()
  }, within)
  await vi.waitFor(() => expect(policySync.constraints.kinds).toEqual([]), within)
  await vi.waitFor(() => expect(policySync.audited.kinds).toEqual([]), within)
  const kinds = (): string[] => operator.manager.intended.map(({ resource }) => resource.kind)
  await vi.waitFor(() => expect(kinds()).not.toContain('RequiredLabels'), within)
  expect(kinds()).not.toContain('Namespace')
}, 60_000)
