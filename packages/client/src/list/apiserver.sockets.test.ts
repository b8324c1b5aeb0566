import { describe, expect, it } from 'vitest'
import { closedAfterEach, configMaps, hostileConfigMaps, only, overSockets } from '../bytes/server.fixture.ts'
import { readItems } from './items.ts'

interface Item {
  readonly data: unknown
}

const start = closedAfterEach(overSockets)

describe.each(['h2', 'http/1.1'] as const)('lists from the API server, over sockets (%s)', protocol => {
  it('R7, R24: gives every item, compressed or not', async () => {
    const served = await start({ protocol })
    const objects = hostileConfigMaps(1000) as Item[]
    await served.server.fill(objects)
    for (const gzip of [false, true]) {
      const items: Item[] = []
      const { metadata } = await readItems(served.context, only(configMaps), '', item => items.push(item as Item), {
        gzip,
      })
      expect(items.map(({ data }) => data)).toEqual(objects.map(({ data }) => data))
      expect(metadata.resourceVersion).toBe(`${await served.server.revision()}`)
    }
  })
})
