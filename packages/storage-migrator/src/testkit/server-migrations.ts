import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { storageVersionMigrations } from '@wherry/client/resources/storagemigration'
import type { ApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { migrateByServer, type ServerMigrationReport } from '../server-migration.ts'
import { verify } from '../verify.ts'
import { definition, gameDefinition, gamesV1, gamesV2 } from './cluster.ts'
import { established } from './established.ts'
import { asked, end, succeed, takeUp } from './server-migrator.ts'

const patience = 300_000

/** Runs a test with games that are stored at v1, and a definition with the storage version v2. Afterwards deletes them and all migrations. */
async function withOldGames({ url, ca, token }: ApiServer, test: (client: Client) => Promise<void>): Promise<void> {
  await using client = new Client({ url, ca, token })
  await client.create(customResourceDefinitions, gameDefinition({ storage: 'v1' }))
  await established(client, definition)
  for (const name of ['chess', 'go']) {
    await vi.waitFor(() => client.create(gamesV1, { metadata: { namespace: 'default', name } }))
  }
  const { spec } = gameDefinition({ storage: 'v2' })
  await client.patch(customResourceDefinitions, { name: definition }, { spec })
  await vi.waitFor(() => client.list(gamesV2))
  try {
    await test(client)
  } finally {
    for (const { metadata } of (await client.list(storageVersionMigrations)).items)
      await client.delete(storageVersionMigrations, { name: metadata?.name ?? '' })
    await client.delete(customResourceDefinitions, { name: definition })
    await vi.waitFor(async () =>
      expect(await client.get(customResourceDefinitions, { name: definition })).toBeUndefined(),
    )
  }
}

const left = async (client: Client): Promise<number> => (await client.list(storageVersionMigrations)).items.length

/** Tests of migrations by the server itself. They play the part of kube-controller-manager. */
export function testServerMigrations(server: () => ApiServer): void {
  const migrating = (client: Client): Promise<ServerMigrationReport> => migrateByServer({ client, definition })

  it('waits for the migration that it asks for, and leaves nothing behind', { timeout: patience }, () =>
    withOldGames(server(), async client => {
      const running = migrating(client)
      const name = await asked(client)
      expect((await client.get(storageVersionMigrations, { name }))?.spec).toEqual({
        resource: { group: 'arcade.example.com', resource: 'games' },
      })
      await takeUp(client, name)
      await succeed(client, name)
      expect(await running).toEqual({
        ...{ definition, outcome: 'migrated', storageVersion: 'v2', message: '' },
        ...{ storedVersionsBefore: ['v1', 'v2'], storedVersions: ['v2'], removableVersions: ['v1'] },
      })
      expect(await left(client)).toBe(0)
      expect(await verify({ client, definition })).toMatchObject({ proven: true })
      expect(await migrating(client)).toMatchObject({ outcome: 'nothing-to-do' })
    }),
  )

  it(
    'gives the words of a migration that failed, replaces it in the next run, and goes on with one that runs',
    { timeout: patience },
    () =>
      withOldGames(server(), async client => {
        const first = migrating(client)
        const failing = await asked(client)
        await end(client, failing, 'Failed', 'default/chess can not be written')
        expect(await first).toMatchObject({
          ...{ outcome: 'failed', message: 'default/chess can not be written', storedVersions: ['v1', 'v2'] },
        })
        expect(await left(client)).toBe(1)

        // A run is killed, and run again: both wait for the same migration.
        const killed = new AbortController()
        const second = migrateByServer({ client, definition, signal: killed.signal })
        const name = await asked(client)
        const uid = (await client.get(storageVersionMigrations, { name }))?.metadata?.uid
        killed.abort(new Error('killed'))
        await expect(second).rejects.toThrow('killed')
        const third = migrating(client)
        await takeUp(client, name)
        await succeed(client, name)
        expect(await third).toMatchObject({ outcome: 'migrated' })
        expect(name).toBe(failing)
        expect(uid).toBeDefined()
        expect(await left(client)).toBe(0)
      }),
  )

  it('is failed if the definition changes while the server migrates', { timeout: patience }, () =>
    withOldGames(server(), async client => {
      const running = migrating(client)
      const name = await asked(client)
      await takeUp(client, name)
      const { spec } = gameDefinition({ storage: 'v1' })
      await client.patch(customResourceDefinitions, { name: definition }, { spec })
      await end(client, name, 'Succeeded')
      const message = 'the definition changed meanwhile: stored versions are v1, v2'
      expect(await running).toMatchObject({ outcome: 'failed', message })
    }),
  )

  it('is an error if no controller takes the migration up', { timeout: patience }, () =>
    withOldGames(server(), async client => {
      await expect(migrateByServer({ client, definition, startTimeoutMs: 1 })).rejects.toMatchObject({
        ...{ code: 'NO_SERVER_MIGRATION', message: expect.stringContaining('let kube-controller-manager run it') },
      })
    }),
  )
}
