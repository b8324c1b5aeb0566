import { configMaps, secrets } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { simulatedCluster } from '@wherry/informer/testkit/served'
import { NarrowCache } from '@wherry/narrow-cache'
import { expect, it } from 'vitest'

it('N10: a reader reads from an informer that covers the view, else from a narrow entry', async () => {
  const { client, writer, simulation, server, asked, close } = await simulatedCluster(1)
  const narrow = new NarrowCache({ client })
  const cache = new DynamicCache({ client, narrow, onMissing: 'narrow' })
  const key = { namespace: 'default', name: 'x' }
  try {
    await simulation.run(async () => {
      await writer.create(configMaps, { metadata: key, data: { a: '1' } })
      await writer.create(secrets, { metadata: key, stringData: { a: '1' } })
      cache.informer(configMaps)
      await cache.synced()
      asked.splice(0)
      expect((await cache.get(configMaps.within({ namespaces: ['default'] }), key))?.data).toEqual({ a: '1' })
      expect(await cache.get(configMaps.metadata(), key)).toBeDefined()
      expect(narrow.report().entries).toBe(0)
      expect(asked).toEqual([])
      for (let i = 0; i < 3; i++) expect((await cache.get(secrets, key))?.data).toEqual({ a: 'MQ==' })
      expect(narrow.report().entries).toBe(1)
      expect(asked).toEqual(['stream fieldSelector=metadata.name=x'])
      await expect(cache.list(secrets)).rejects.toMatchObject({ code: 'NOT_CACHED' })
      const { byVerb } = await server.stats()
      expect(byVerb.list?.secrets).toBeUndefined()
    })
  } finally {
    await simulation.run(async () => {
      await cache.close()
      await narrow.close()
    })
    await close()
  }
})
