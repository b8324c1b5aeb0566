import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { expect, it } from 'vitest'
import { migrateStorage } from './migrate.ts'
import { plan } from './plan.ts'
import { definition, gamesV1, withGames } from './testkit/cluster.ts'
import { verify } from './verify.ts'

it('a plan says how many requests the migration takes, and writes nothing', () =>
  withGames(23, async ({ client, server, storedAt }) => {
    const planned = await plan({ client, definition, chunkSize: 10 })
    expect(planned).toEqual({
      definition,
      storageVersion: 'v2',
      storedVersions: ['v1', 'v2'],
      servedVersions: ['v1', 'v2'],
      nothingToDo: false,
      objects: 23,
      requests: 30,
      serverMigrates: true,
    })
    expect(storedAt('v1')).toHaveLength(23)
    await server.resetStats()
    await migrateStorage({ client, definition, chunkSize: 10 })
    expect((await server.stats()).total.requests).toBe(planned.requests)
    await server.resetStats()
    await migrateStorage({ client, definition })
    expect((await server.stats()).total.requests).toBe(1)
    expect(await plan({ client, definition })).toMatchObject({ nothingToDo: true, requests: 1 })
  }))

it('what was migrated is proved, and an object that was not is found and mended', () =>
  withGames(4, async ({ client, writer, change, storedAt }) => {
    expect(await verify({ client, definition })).toMatchObject({ proven: false, counts: { rewritten: 4 } })
    // The objects are mended, and storedVersions not touched: that is the migration's.
    expect(await verify({ client, definition })).toMatchObject({ proven: false, storedVersions: ['v1', 'v2'] })
    await migrateStorage({ client, definition })
    expect(await verify({ client, definition })).toEqual({
      definition,
      storageVersion: 'v2',
      storedVersions: ['v2'],
      proven: true,
      removableVersions: ['v1'],
      counts: { listed: 4, rewritten: 0, unchanged: 4, changed: 0, gone: 0 },
      failures: [],
    })
    // A migrator that shortens storedVersions all the same leaves this behind.
    await change({ storage: 'v1' })
    await writer.patch(gamesV1, { namespace: 'default', name: 'g001' }, { metadata: { labels: { a: 'b' } } })
    await change({ storage: 'v2' })
    await writer.status.patch(customResourceDefinitions, { name: definition }, { status: { storedVersions: ['v2'] } })
    expect(await verify({ client, definition })).toMatchObject({ proven: false, counts: { rewritten: 1 } })
    expect(storedAt('v1')).toEqual([])
  }))

it('X6: options of a plan and of a verification are checked', () =>
  withGames(0, async ({ client }) => {
    for (const options of [{}, { client, definition, chunkSize: -1 }, { client, definition, state: {} }]) {
      await expect(plan(options as never)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
      await expect(verify(options as never)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    }
  }))
