import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { describe, expect, it, vi } from 'vitest'
import { migrateStorage } from '../../packages/storage-migrator/src/index.ts'
import { definition, gameDefinition, gamesV1, gamesV2 } from '../../packages/storage-migrator/src/testkit/cluster.ts'
import { Converter, conversion } from '../../packages/storage-migrator/src/testkit/converter.ts'
import { HookServer } from '../differential/hooks/hook-server.ts'

const available = await realApiServerAvailable('objects that can not be converted, on a real API server')

describe.runIf(available)('objects that can not be converted, on a real API server', () => {
  it('S3: are named with the words of the webhook, and the others are migrated', async () => {
    const server = await sharedRealServer()
    await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
    const hooks = await HookServer.start()
    try {
      const converter = new Converter()
      hooks.on('/convert', review => ({ review: converter.answer(review) }))
      const webhook = conversion(`${hooks.url}/convert`, hooks.caBundle)
      await client.create(customResourceDefinitions, gameDefinition({ storage: 'v1', conversion: webhook }))
      const names = Array.from({ length: 30 }, (_, i) => `g${String(i).padStart(3, '0')}`)
      for (const name of names) {
        await vi.waitFor(() => client.create(gamesV1, { metadata: { namespace: 'default', name } }))
      }
      const { spec } = gameDefinition({ storage: 'v2', conversion: webhook })
      await client.patch(customResourceDefinitions, { name: definition }, { spec })
      await vi.waitFor(() => client.list(gamesV2))
      const refused = ['g000', 'g017', 'g029']
      for (const name of refused) converter.refuse('v2', name)
      const report = await migrateStorage({ client, definition, chunkSize: 10 })
      expect(report).toMatchObject({ outcome: 'failed', complete: true, counts: { listed: 30, rewritten: 27 } })
      expect(report.failures).toEqual(
        refused.map(name => ({
          ...{ namespace: 'default', name, reason: 'webhook' },
          message: 'conversion webhook for arcade.example.com/v1, Kind=Game failed: it has no players',
        })),
      )
    } finally {
      hooks.disconnect()
      await hooks.close()
    }
  })
})
