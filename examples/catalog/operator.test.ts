import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { namespaces } from '@wherry/client/resources/core'
import { conditionOf, Operator } from '@wherry/controller'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { indexType } from './catalog.ts'
import { catalogSources } from './catalog-source.ts'
import { CatalogIndex } from './index/catalog-index.ts'
import { Catalogs, type CatalogsOptions, declareCatalogs } from './operator.ts'
import { push } from './testkit/registry.ts'
import { StandInRegistry } from './testkit/stand-in-registry.ts'

const namespace = 'catalogs'
const until = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { interval: 20 })
const hasReal = await realApiServerAvailable('catalogs on a real API server')

describe.each([
  ['an embedded', () => startApiServer({ isolate: true })],
  ...(hasReal ? [['a real', sharedRealServer] as const] : []),
] as const)('catalogs on %s API server', (_, startServer) => {
  let server: ApiServer
  let client: Client
  let good: StandInRegistry
  let silent: StandInRegistry
  let trickling: StandInRegistry

  beforeAll(async () => {
    server = await startServer()
    await using own = new Client({ url: server.url, ca: server.ca, token: server.token })
    const file = join(import.meta.dirname, 'deploy/crd/catalogsources.catalog.example.com.yaml')
    await own.create(customResourceDefinitions, parse(readFileSync(file, 'utf8')))
    await until(() => own.list(catalogSources))
    await own.create(namespaces, { metadata: { name: namespace } })
  })
  afterAll(() => server?.close())

  beforeEach(async () => {
    client = new Client({ url: server.url, ca: server.ca, token: server.token })
    good = await StandInRegistry.start('none')
    silent = await StandInRegistry.start('none')
    trickling = await StandInRegistry.start('none')
    for (const one of [good, silent, trickling]) {
      await push(one, 'community', { content: new CatalogIndex().toBytes(), mediaType: indexType, tag: 'latest' })
    }
    silent.slow = 'head'
    trickling.slow = 'body'
  })
  afterEach(async () => {
    for (const { metadata } of (await client.list(catalogSources)).items) {
      await client.delete(catalogSources, { namespace, name: `${metadata?.name}` })
    }
    await client.close()
    for (const one of [good, silent, trickling]) await one.close()
  })

  /** Runs the operator while `body` plays its users. */
  async function running(options: CatalogsOptions, body: () => Promise<void>): Promise<void> {
    const own = new Client({ url: server.url, ca: server.ca, token: server.token })
    const operator = new Operator({ name: 'catalog', client: own })
    const catalogs = new Catalogs(options)
    declareCatalogs(operator, catalogs)
    const ran = operator.run({ signals: false })
    try {
      await body()
    } finally {
      await operator.close()
      await ran
      await catalogs.close()
      await own.close()
    }
  }

  const source = (name: string, { host, ca }: StandInRegistry): Promise<unknown> =>
    client.create(catalogSources, {
      metadata: { namespace, name },
      spec: {
        image: `${host}/community:latest`,
        poll: { intervalMs: 1000 },
        caBundle: Buffer.from(ca).toString('base64'),
      },
    })
  const upToDate = async (name: string) => {
    const { status } = (await client.get(catalogSources, { namespace, name })) ?? {}
    return conditionOf(status?.conditions, 'UpToDate')
  }
  const heads = ({ requests }: StandInRegistry): number => requests.filter(one => one.startsWith('HEAD ')).length

  it('registries that are slow hold up no other source', () =>
    running({}, async () => {
      await source('silent', silent)
      await source('trickling', trickling)
      await until(() => expect(heads(silent)).toBe(1))
      await until(() => expect(trickling.requests.at(-1)).toMatch('GET '))
      await source('good', good)
      await until(async () => expect((await upToDate('good'))?.reason).toBe('AsExpected'))
      await until(() => expect(heads(good)).toBeGreaterThan(2))
      expect(heads(silent)).toBe(1)
    }))

  it('a restart without a registry serves the last good index, which goes with its CatalogSource', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wherry-catalogs-'))
    try {
      const serving = async () => {
        const { status } = (await client.get(catalogSources, { namespace, name: 'good' })) ?? {}
        return [conditionOf(status?.conditions, 'Serving')?.status, (await upToDate('good'))?.reason]
      }
      await running({ folder }, async () => {
        await source('good', good)
        await until(async () => expect(await serving()).toEqual(['True', 'AsExpected']))
      })
      await good.stop()
      await running({ folder }, async () => {
        await until(async () => expect(await serving()).toEqual(['True', 'RegistryUnavailable']))
        expect(await readdir(folder)).toEqual([`${namespace}_good`])
        await client.delete(catalogSources, { namespace, name: 'good' })
        await until(async () => expect(await readdir(folder)).toEqual([]))
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('a registry that is slow, whether it is silent or trickles, is reported and asked again', () =>
    running({ pollTimeoutMs: 500 }, async () => {
      await source('silent', silent)
      await source('trickling', trickling)
      for (const name of ['silent', 'trickling']) {
        await until(async () => expect((await upToDate(name))?.reason).toBe('TooSlow'))
        expect((await upToDate(name))?.message).toBe('the index did not come within 500 ms')
      }
      for (const one of [silent, trickling]) one.slow = undefined
      for (const name of ['silent', 'trickling']) {
        await until(async () => expect((await upToDate(name))?.reason).toBe('AsExpected'))
      }
    }))
})
