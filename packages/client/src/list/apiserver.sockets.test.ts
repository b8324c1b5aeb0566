import { afterEach, describe, expect, it } from 'vitest'
import { configMaps, hostileConfigMaps, only, overSockets, type Served } from '../bytes/server.fixture.ts'
import { readItems } from './items.ts'

interface Item {
  readonly data: unknown
}

const open: Served[] = []
afterEach(async () => {
  for (const served of open.splice(0)) await served.close()
})

describe.each(['h2', 'http/1.1'] as const)('lists from the API server, over sockets (%s)', protocol => {
  it('R7, R24: gives every item, compressed or not', async () => {
    const served = await overSockets({ protocol })
    open.push(served)
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
