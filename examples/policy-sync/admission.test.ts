import { Client } from '@wherry/client'
import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { namespaces, pods } from '@wherry/client/resources/core'
import { ingresses } from '@wherry/client/resources/networking'
import { Operator } from '@wherry/controller'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { Webhooks } from '@wherry/webhook'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { EnforcementAction } from './constraint.ts'
import { cache, declarePolicySync } from './operator.ts'
import { constraintsOf, templates } from './template.ts'
import { audited, constrain, installed, sync } from './testkit/running.ts'
import { requiredLabels, uniqueHosts, uniqueNames } from './testkit/templates.ts'

const ingressKind = { group: 'networking.k8s.io', kind: 'Ingress' }

let server: EmbeddedApiServer
let admin: Client
/** Has the warnings that a user gets. */
let client: Client
let operator: Operator
let running: Promise<void>
let warned: string[]
/** What the operator says to the log and to `onError`. */
let said: string[]

beforeEach(async () => {
  warned = []
  said = []
  server = await startApiServer({ kind: 'embedded' })
  admin = await installed(server)
  await admin.create(namespaces, { metadata: { name: 'policy-system' } })
  const { url, ca, token } = server
  client = new Client({ url, ca, token, environment: { onWarning: message => void warned.push(message) } })
  const environment = {
    log: (level: string, message: string, fields?: object) =>
      void said.push(`${level} ${message} ${JSON.stringify(fields)}`),
    onError: (error: Error) => void said.push(`${error}`),
  }
  const own = new Client({ url, ca, token, environment })
  operator = new Operator({ name: 'policy-sync', client: own, cache })
  const webhooks = new Webhooks(operator, {
    service: { namespace: 'policy-system', name: 'policy-sync' },
    ...{ address: '127.0.0.1', host: '127.0.0.1', port: 0 },
  })
  declarePolicySync(operator, { auditDelayMs: 10, admission: { webhooks, views: [ingresses, pods] } })
  running = operator.run({ signals: false }).finally(() => own.close())
  await vi.waitFor(async () => {
    const found = await admin.get(validatingWebhookConfigurations, { name: 'policy-sync' })
    const bundles = found?.webhooks?.map(({ name, clientConfig }) => [
      name.split('.')[0],
      Boolean(clientConfig.caBundle),
    ])
    expect(bundles).toEqual([
      ['ingresses-networking-k8s-io', true],
      ['pods', true],
    ])
  })
})

afterEach(async () => {
  await operator.close()
  await running
  await client.close()
  await admin.close()
  await server.close()
})

const backend = { service: { name: 'web', port: { number: 80 } } }
const ingress = (name: string, host: string) => ({
  metadata: { namespace: 'default', name },
  spec: { rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
})

/** What the API server says of a write: `taken`, or why not. */
const answer = (write: Promise<unknown>): Promise<string> =>
  write.then(
    () => 'taken',
    (error: Error) => error.message,
  )
const tried = (name: string, host: string): Promise<string> =>
  answer(client.create(ingresses, ingress(name, host), { dryRun: true }))

it('a user is refused what the audit would find, by the same policies and the same synced objects', async () => {
  await sync(client, ingressKind)
  await client.create(templates, uniqueHosts)
  const status = await constrain(client, uniqueHosts, 'hosts', { match: [ingressKind] })
  await vi.waitFor(async () => expect(audited(await status())).toBe('Audited'))
  await client.create(ingresses, ingress('a', 'one.example.com'))
  const refusal = 'UniqueHosts.constraints.policy.example.com hosts: another Ingress has the host'
  await vi.waitFor(async () => expect(await tried('b', 'one.example.com')).toContain(refusal))
  expect(await tried('b', 'two.example.com')).toBe('taken')

  // An update is reviewed too, and an object is not another one to itself.
  await client.create(ingresses, ingress('b', 'two.example.com'))
  const { spec } = ingress('b', 'one.example.com')
  const key = { namespace: 'default', name: 'b' }
  expect(await answer(client.patch(ingresses, key, { spec }))).toContain(refusal)
  expect(await answer(client.patch(ingresses, key, { metadata: { labels: { tier: 'web' } } }))).toBe('taken')

  const act = (enforcementAction: EnforcementAction): Promise<unknown> =>
    client.patch(constraintsOf(uniqueHosts), { name: 'hosts' }, { spec: { enforcementAction } })
  await act('warn')
  await vi.waitFor(async () => expect(await tried('c', 'one.example.com')).toBe('taken'))
  expect(warned.filter(one => one.includes(refusal))).toHaveLength(1)
  expect(said.filter(one => one.includes('no webhook reviews'))).toEqual([])
})

it('what can not be decided yet passes with a warning, and the operator says why', async () => {
  const why = 'UniqueNames.constraints.policy.example.com x: the policy looks up what is not synced: ConfigMap'
  await client.create(templates, uniqueNames)
  await constrain(client, uniqueNames, 'x', { match: [ingressKind] })
  await vi.waitFor(async () => {
    expect(await tried('a', 'one.example.com')).toBe('taken')
    expect(warned).toContainEqual(expect.stringContaining(why))
  })
  expect(said).toContainEqual(expect.stringContaining(`the review is undecided: ${why}`))
  await sync(client, { group: '', kind: 'ConfigMap' })
  await vi.waitFor(async () => {
    const before = said.length
    expect(await tried('a', 'one.example.com')).toBe('taken')
    expect(said.slice(before).filter(one => one.includes('undecided'))).toEqual([])
  })
})

it('the log names the kinds of a constraint that no webhook reviews, once for each change of it', async () => {
  const named = (): string[] => said.filter(one => one.includes('no webhook reviews'))
  const match = [ingressKind, { group: '', kind: 'Namespace' }]
  await client.create(templates, requiredLabels)
  const status = await constrain(client, requiredLabels, 'owner', { match, parameters: { labels: ['owner'] } })
  await vi.waitFor(async () => expect(audited(await status())).toBe('Audited'))
  const constraint = 'RequiredLabels.constraints.policy.example.com owner'
  const fields = { constraint, kinds: ['Namespace'], reviewed: ['Ingress.networking.k8s.io', 'Pod'] }
  expect(named()).toEqual([expect.stringContaining(JSON.stringify(fields))])
  // Such a request is taken, and the audit names it.
  await client.create(namespaces, { metadata: { name: 'nobodys' } })
  await vi.waitFor(async () =>
    expect((await status()).violations).toContainEqual(expect.objectContaining({ name: 'nobodys' })),
  )
  expect(await tried('a', 'one.example.com')).toContain(`${constraint}: a label is missing`)
  expect(named()).toHaveLength(1)

  const resource = constraintsOf(requiredLabels)
  await client.patch(resource, { name: 'owner' }, { spec: { enforcementAction: 'dryrun' } })
  await vi.waitFor(async () => expect(await tried('a', 'one.example.com')).toBe('taken'))
  expect(named()).toHaveLength(1)
})
