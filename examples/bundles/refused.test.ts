import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps } from '@wherry/client/resources/core'
import { conditionOf, Operator } from '@wherry/controller'
import { type AccessAttributes, type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { stateOf } from './install/aggregate.ts'
import { declarePlatformOperators } from './operator.ts'
import { type PlatformOperator, platformOperators } from './platform-operator.ts'
import { bundleOf, definitionOf, group } from './testkit/bundles.ts'
import { TestSource } from './testkit/source.ts'

let server: EmbeddedApiServer
let client: Client
let source: TestSource
let end: () => Promise<void>

/** What the server refuses the operator. */
let refuse: (asked: AccessAttributes) => boolean

beforeEach(async () => {
  refuse = () => false
  server = await startApiServer({ kind: 'embedded', authorization: asked => !refuse(asked) })
  client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const file = join(import.meta.dirname, 'deploy/crd/platformoperators.bundles.example.com.yaml')
  await client.create(customResourceDefinitions, parse(readFileSync(file, 'utf8')))
  await vi.waitFor(() => client.list(platformOperators))
  source = new TestSource()
  const operator = new Operator({ name: 'bundles', client, narrow: { idleMs: 100 } })
  declarePlatformOperators(operator, { source, pollMs: 100 })
  const ran = operator.run({ signals: false })
  end = async () => {
    await operator.close()
    await ran
  }
})

afterEach(async () => {
  await end()
  await client.close()
  await server.close()
})

const spec = { package: 'chess', namespace: 'default' }
const found = (): Promise<PlatformOperator | undefined> => client.get(platformOperators, { name: 'chess' })
const reasonOf = async (type: string): Promise<string | undefined> =>
  conditionOf((await found())?.status?.conditions, type)?.reason
const hours = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hours' }, data: { monday: '10' } }

it('an object of a kind that is served and may not be watched is named, and holds up no other', async () => {
  refuse = ({ verb, resource }) => resource === 'servicemonitors' && verb === 'watch'
  await client.create(customResourceDefinitions, definitionOf('ServiceMonitor') as never)
  const monitor = { apiVersion: `${group}/v1`, kind: 'ServiceMonitor', metadata: { name: 'chess' } }
  source.release('chess', await bundleOf({ name: 'chess', others: [monitor, hours] }))
  await client.create(platformOperators, { metadata: { name: 'chess' }, spec })
  await vi.waitFor(async () => expect(await reasonOf('Installed')).toBe('Refused'))
  const object = (await found()) as PlatformOperator
  expect(object.status?.problems).toMatchObject([
    { object: 'ServiceMonitor chess', message: expect.stringContaining('lacks watch of servicemonitors') },
  ])
  expect(stateOf(object)).toMatchObject({ available: false, degraded: true })
  expect(await client.get(configMaps, { name: 'hours', namespace: 'default' })).toBeDefined()
  refuse = () => false
  await vi.waitFor(async () => expect(await reasonOf('Installed')).toBe('Installed'))
})

it('what may not be deleted is said, and deleted once the right is there', async () => {
  refuse = ({ verb, resource }) => resource === 'configmaps' && verb === 'delete'
  source.release('chess', await bundleOf({ name: 'chess', others: [hours] }))
  await client.create(platformOperators, { metadata: { name: 'chess' }, spec })
  await vi.waitFor(async () => expect(await reasonOf('Installed')).toBe('Installed'))
  source.release('chess', await bundleOf({ name: 'chess', version: '1.1.0' }), '1.1.0')
  await vi.waitFor(async () => expect(await reasonOf('Pruned')).toBe('Failed'))
  const object = (await found()) as PlatformOperator
  expect(conditionOf(object.status?.conditions, 'Pruned')?.message).toContain('lacks delete of configmaps')
  expect(object.status?.made).toContainEqual(expect.objectContaining({ name: 'hours' }))
  expect(stateOf(object)).toMatchObject({ degraded: true })
  refuse = () => false
  await vi.waitFor(async () => expect(await reasonOf('Pruned')).toBeUndefined())
  expect(await client.get(configMaps, { name: 'hours', namespace: 'default' })).toBeUndefined()
})
