import { describe, expect, it } from 'vitest'
import { migrateStorage } from './migrate.ts'
import { memoryState } from './state/memory-state.ts'
import { type Cluster, definition, gamesV1, simulatedCluster } from './testkit/cluster.ts'
import { Converter, conversion } from './testkit/converter.ts'

/** Runs `test` with 30 games that are stored at v1 and are to be stored at v2, by a webhook that converts them. */
async function withConverted(test: (cluster: Cluster, converter: Converter) => Promise<void>): Promise<void> {
  const converter = new Converter()
  const webhooks = async ({ review }: { readonly review: unknown }) => converter.answer(review as object)
  const cluster = await simulatedCluster(1, { webhooks })
  try {
    await cluster.define({ storage: 'v1', conversion: conversion('https://converter.example.com') })
    await cluster.simulation.run(async () => {
      await cluster.create(30)
      await cluster.change({ storage: 'v2', conversion: conversion('https://converter.example.com') })
    })
    await cluster.simulation.run(() => test(cluster, converter))
  } finally {
    await cluster.close()
  }
}

const words = 'conversion webhook for arcade.example.com/v1, Kind=Game failed: it has no players'

describe('an object that can not be converted', () => {
  it('S3: is named within ten seconds with the words of the webhook, and the others are migrated', () =>
    withConverted(async (cluster, converter) => {
      const { client, simulation } = cluster
      for (const name of ['g000', 'g017', 'g029']) converter.refuse('v2', name)
      const began = simulation.clock.now()
      const options = { client, definition, chunkSize: 10, state: memoryState() }
      const report = await migrateStorage(options)
      expect(simulation.clock.now() - began).toBeLessThan(10_000)
      expect(report).toMatchObject({ outcome: 'failed', complete: true, counts: { listed: 30, rewritten: 27 } })
      expect(report.failures).toEqual(
        ['g000', 'g017', 'g029'].map(name => ({ namespace: 'default', name, reason: 'webhook', message: words })),
      )
      expect(cluster.storedAt('v1')).toEqual(['g000', 'g017', 'g029'])
      expect(await cluster.storedVersions()).toEqual(['v1', 'v2'])
      converter.mend()
      expect(await migrateStorage(options)).toMatchObject({ outcome: 'migrated', counts: { rewritten: 30 } })
    }))

  it('S3: is found where others on its page can only be read at the new version', () =>
    withConverted(async (cluster, converter) => {
      const { client, writer } = cluster
      // A write stores it at v2, and from there it does not come back.
      await writer.patch(gamesV1, { namespace: 'default', name: 'g003' }, { metadata: { labels: { touched: 'yes' } } })
      converter.refuse('v1', 'g003')
      converter.refuse('v2', 'g004')
      const report = await migrateStorage({ client, definition })
      expect(report).toMatchObject({ outcome: 'failed', complete: true, counts: { listed: 30, unchanged: 1 } })
      expect(report.failures.map(({ name }) => name)).toEqual(['g004'])
    }))

  it('S4: ends the run with the words of the webhook if no served version can show it', () =>
    withConverted(async (cluster, converter) => {
      const { client } = cluster
      await cluster.change({
        storage: 'v2',
        unserved: ['v1'],
        conversion: conversion('https://converter.example.com'),
      })
      converter.refuse('v2', 'g004')
      await expect(migrateStorage({ client, definition })).rejects.toMatchObject({
        message: expect.stringMatching(/default\/g004.*it has no players/),
      })
      expect(await cluster.storedVersions()).toEqual(['v1', 'v2'])
    }))

  it('S3: is tried again for a minute if the webhook can not be called', () =>
    withConverted(async (cluster, converter) => {
      const { client } = cluster
      converter.failNext(3)
      expect(await migrateStorage({ client, definition })).toMatchObject({ outcome: 'migrated', failures: [] })
    }))
})
