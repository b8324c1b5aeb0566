import { describe, expect, it } from 'vitest'
import { closedAfterEach, configMaps, hostile, hostileConfigMaps, only, simulated } from '../bytes/server.fixture.ts'
import { defineResource } from '../views/resource.ts'
import { readItems } from './items.ts'
import { nextToken } from './page-tokens.ts'
import { listQuery, nextPageQuery } from './query.ts'

const games = defineResource<object>({ group: 'ex.io', version: 'v1', kind: 'Game', plural: 'games', namespaced: true })

interface Item {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: { readonly name: string }
  readonly data?: Record<string, string>
  readonly spec?: unknown
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'games.ex.io' },
  spec: {
    group: 'ex.io',
    scope: 'Namespaced',
    names: { kind: 'Game', listKind: 'GameList', plural: 'games', singular: 'game' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

const served = closedAfterEach(simulated)

describe.each(['h2', 'http/1.1'] as const)('lists from the API server, in memory (%s)', protocol => {
  const start = (seed: number) => served(seed, { protocol })

  it('R7, R20: gives every item whole, with its kind, whatever the chunks, and the list’s resourceVersion', async () => {
    const { server, context, simulation } = await start(1)
    const objects = hostileConfigMaps(300) as Item[]
    await server.fill(objects)
    const items: Item[] = []
    const head = await simulation.run(() =>
      readItems(context, only(configMaps), listQuery({}, { resourceVersion: '0' }), item => items.push(item as Item)),
    )
    expect(items.map(({ kind, apiVersion, data }) => ({ kind, apiVersion, data }))).toEqual(
      objects.map(({ data }) => ({ kind: 'ConfigMap', apiVersion: 'v1', data })),
    )
    expect(items.every(item => Object.keys(item)[0] === 'kind')).toBe(true)
    expect(head.metadata.resourceVersion).toBe(`${await server.revision()}`)
  })

  it('R6: reads a custom resource’s list, with its metadata after its items', async () => {
    const { server, context, simulation, write } = await start(2)
    await simulation.run(async () => {
      expect(await write('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)).toBe(201)
    })
    await simulation.advance(1000)
    const specs = Array.from({ length: 50 }, (_, i) => ({
      text: hostile.repeat(i),
      items: [{ metadata: {} }, { metadata: {} }],
    }))
    await server.fill(
      specs.map((spec, i) => ({
        apiVersion: 'ex.io/v1',
        kind: 'Game',
        metadata: { name: `g${`${i}`.padStart(3, '0')}`, namespace: 'ns' },
        spec,
      })),
    )
    const items: Item[] = []
    const head = await simulation.run(() => readItems(context, only(games), '', item => items.push(item as Item)))
    expect(items.map(({ kind, spec }) => ({ kind, spec }))).toEqual(specs.map(spec => ({ kind: 'Game', spec })))
    expect(head).toMatchObject({ kind: 'GameList', metadata: { resourceVersion: `${await server.revision()}` } })
    expect(nextToken(head.metadata)).toBeUndefined()
  })

  it('R3: pages with tokens come to the same list', async () => {
    const { server, context, simulation } = await start(3)
    await server.fill(hostileConfigMaps(25))
    const target = only(configMaps.within({ namespaces: ['ns'] }))
    const names: string[] = []
    const item = (object: object): unknown => names.push((object as Item).metadata.name)
    let pages = 0
    await simulation.run(async () => {
      let head = await readItems(context, target, listQuery({}, {}, 10), item)
      for (pages = 1; nextToken(head.metadata) !== undefined; pages++) {
        head = await readItems(context, target, nextPageQuery({}, 10, nextToken(head.metadata) as string), item)
      }
    })
    expect([pages, names.length, new Set(names).size]).toEqual([3, 25, 25])
  })

  it('asks for metadata and gets it alone', async () => {
    const { server, context, simulation } = await start(4)
    await server.fill(hostileConfigMaps(3))
    const items: Item[] = []
    await simulation.run(() => readItems(context, only(configMaps.metadata()), '', item => items.push(item as Item)))
    expect(items.map(item => [item.kind, item.apiVersion, item.data])).toEqual(
      Array.from({ length: 3 }, () => ['PartialObjectMetadata', 'meta.k8s.io/v1', undefined]),
    )
  })

  it.each(['no', 'a'] as const)(
    'gets the same from %s server that drops managedFields, and fewer bytes',
    async that => {
      const { server, context, simulation } = await served(6, { protocol, managedFieldsOptOut: that === 'a' })
      const managedFields = [
        { manager: 'me', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
      ]
      const metadata = { name: 'a', namespace: 'default', managedFields }
      await server.fill([{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: 'v' } }])
      const read = async (view: Parameters<typeof only>[0]): Promise<[item: object | undefined, bytes: number]> => {
        const items: object[] = []
        await server.resetStats()
        await simulation.run(() => readItems(context, only(view), '', one => items.push(one)))
        return [items[0], (await server.stats()).total.objectBytes]
      }
      const [lean, leanBytes] = await read(configMaps)
      const [full, fullBytes] = await read(configMaps.full())
      expect(lean).toMatchObject({ metadata: { name: 'a' }, data: { k: 'v' } })
      expect(lean).not.toHaveProperty('metadata.managedFields')
      expect(full).toHaveProperty('metadata.managedFields', managedFields)
      const dropped = JSON.stringify({ managedFields }).length - 1
      expect(fullBytes - leanBytes).toBe(that === 'a' ? dropped : 0)
    },
  )

  it('gives no list for one that broke on the way, and the items up to there', async () => {
    const { server, context, simulation } = await start(5)
    await server.fill(hostileConfigMaps(100))
    for (const kind of ['break', 'reset', 'truncate'] as const) {
      await server.faults.add({
        match: { verb: 'list', resource: 'configmaps' },
        nth: 1,
        effect: { kind, afterBytes: 5000 },
      })
      let count = 0
      const list = simulation.run(() => readItems(context, only(configMaps), '', () => count++))
      await expect(list).rejects.toMatchObject({ code: kind === 'truncate' ? 'INVALID_BODY' : 'CONNECTION_LOST' })
      expect(count).toBeGreaterThan(0)
      expect(count).toBeLessThan(100)
    }
  })
})
