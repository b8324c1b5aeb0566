import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { storageVersionMigrations } from '@wherry/client/resources/storagemigration'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { migrateByServer } from './server-migration.ts'
import { definition, gameDefinition } from './testkit/cluster.ts'
import { testServerMigrations } from './testkit/server-migrations.ts'

describe('on an embedded API server', () => {
  let server: ApiServer
  beforeAll(async () => {
    server = await startApiServer({ kind: 'embedded' })
  })
  afterAll(() => server?.close())

  testServerMigrations(() => server)
})

it.each([
  ['no', undefined],
  ['an earlier', { ...storageVersionMigrations.resource, version: 'v1alpha1' }],
])('is an error if the server has %s version of the API', async (_, found) => {
  await using server = await startApiServer({ kind: 'embedded' })
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  await client.create(customResourceDefinitions, gameDefinition({ storage: 'v1' }))
  const { spec } = gameDefinition({ storage: 'v2' })
  await client.patch(customResourceDefinitions, { name: definition }, { spec })
  vi.spyOn(client, 'discover').mockResolvedValue(found as never)
  await expect(migrateByServer({ client, definition })).rejects.toMatchObject({
    ...{ code: 'NO_SERVER_MIGRATION', message: expect.stringContaining('migrateStorage can') },
  })
})
