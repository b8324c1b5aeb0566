import { readFileSync } from 'node:fs'
import { Client } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { events } from '@wherry/client/resources/core'
import { type Condition, conditionOf, Operator } from '@wherry/controller'
import { type EmbeddedOptions, startApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { games, gamesV1 } from './game.ts'
import { conditionType, declareMigration, definition } from './migration.ts'

/** What `deploy/crd` has: v2 is the storage version. */
function definitionOfThisRelease(): CustomResourceDefinition {
  return parse(readFileSync(`${import.meta.dirname}/deploy/crd/${definition}.yaml`, 'utf8'))
}

type Webhooks = NonNullable<EmbeddedOptions['webhooks']>

/** A webhook that converts all games but one. */
const converter =
  (refused: string): Webhooks =>
  async ({ review }) => {
    const { request, ...rest } = review as {
      readonly request: { uid: string; desiredAPIVersion: string; objects: { metadata: { name: string } }[] }
    }
    const { uid, desiredAPIVersion: apiVersion, objects } = request
    if (apiVersion.endsWith('/v2') && objects.some(({ metadata }) => metadata.name === refused)) {
      return { ...rest, response: { uid, result: { status: 'Failed', message: 'it has no players' } } }
    }
    const convertedObjects = objects.map(object => ({ ...object, apiVersion }))
    return { ...rest, response: { uid, result: { status: 'Success' }, convertedObjects } }
  }

it('S3: a game that can not be converted is named in the condition with the words of the webhook, and the others are migrated', async () => {
  await using server = await startApiServer({ webhooks: converter('g1') })
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const name = { name: definition }
  const crd = definitionOfThisRelease()
  const [v2, v1] = crd.spec.versions
  const versions = [
    { ...v1, storage: true },
    { ...v2, storage: false },
  ]
  const conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'https://converter.example.com' }, conversionReviewVersions: ['v1'] },
  }
  await client.create(customResourceDefinitions, { ...crd, spec: { ...crd.spec, versions, conversion } } as typeof crd)
  for (const game of ['g0', 'g1', 'g2']) {
    const object = { metadata: { name: game, namespace: 'default' }, spec: { title: game } }
    await vi.waitFor(() => client.create(gamesV1, object))
  }
  await client.patch(customResourceDefinitions, name, { spec: { versions: crd.spec.versions } })
  await using operator = new Operator({ name: 'crd-upgrade', client })
  declareMigration(operator, 'default')
  void operator.run()
  await vi.waitFor(async () => {
    const { status } = (await client.get(customResourceDefinitions, name)) ?? {}
    expect(conditionOf(status?.conditions ?? [], conditionType)).toMatchObject({
      status: 'False',
      reason: 'Refused',
      message: expect.stringMatching(/^1 games could not be rewritten: default\/g1: .*it has no players$/),
    })
  })
  expect(server.storedVersions(definition)).toMatchObject({
    'default/g0': 'v2',
    'default/g1': 'v1',
    'default/g2': 'v2',
  })
})

it('S4: a game that the server refuses is named, and the old version stays until it is taken', async () => {
  await using server = await startApiServer()
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const name = { name: definition }
  const read = async (): Promise<CustomResourceDefinition | undefined> => client.get(customResourceDefinitions, name)
  const condition = async (): Promise<Condition | undefined> =>
    conditionOf((await read())?.status?.conditions ?? [], conditionType)
  const versions = async (): Promise<string[] | undefined> => (await read())?.spec.versions.map(each => each.name)
  const crd = definitionOfThisRelease()
  const [v2, v1] = crd.spec.versions
  const stored = [
    { ...v1, storage: true },
    { ...v2, storage: false },
  ]
  await client.create(customResourceDefinitions, { ...crd, spec: { ...crd.spec, versions: stored } } as typeof crd)
  const chess = { metadata: { name: 'chess', namespace: 'default' }, spec: { title: 'Chess' } }
  await vi.waitFor(() => client.create(games, chess)) // a new resource is not served at once
  await client.patch(customResourceDefinitions, name, { spec: { versions: crd.spec.versions } })

  const message = 'admission webhook "quota.example.com" denied the request'
  await server.faults.add({
    match: { verb: 'patch', resource: definition, name: 'chess' },
    effect: { kind: 'status', code: 403, reason: 'Forbidden', message },
  })
  await using operator = new Operator({ name: 'crd-upgrade', client })
  declareMigration(operator, 'default')
  void operator.run()
  await vi.waitFor(async () => expect(await condition()).toMatchObject({ status: 'False', reason: 'Refused' }))
  expect((await condition())?.message).toContain('default/chess')
  expect(await versions()).toEqual(['v2', 'v1'])

  await server.faults.clear()
  await vi.waitFor(async () => expect(await condition()).toMatchObject({ status: 'True' }))
  expect(await versions()).toEqual(['v2'])
  await operator.settled()
  await operator.close()
  const reported = (await client.list(events)).items.map(({ reason }) => reason)
  expect(new Set(reported)).toEqual(new Set(['Migrating', 'Refused', 'Migrated']))
})
