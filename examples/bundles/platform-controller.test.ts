import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { conditionOf, Operator } from '@wherry/controller'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { platforms } from './platform.ts'
import { declarePlatform } from './platform-controller.ts'
import { type PlatformOperator, platformOperators } from './platform-operator.ts'

const hasReal = await realApiServerAvailable('the platform on a real API server')
const cluster = { name: 'cluster' }

describe.each([
  ['an embedded', () => startApiServer({ isolate: true })],
  ...(hasReal ? [['a real', sharedRealServer] as const] : []),
] as const)('the platform on %s API server', (_, start: () => Promise<ApiServer>) => {
  it('is Available, Progressing and Degraded as its operators are, and is made again if it goes', async () => {
    await using server = await start()
    await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
    for (const { resource } of [platforms, platformOperators]) {
      const file = join(import.meta.dirname, `deploy/crd/${resource.plural}.${resource.group}.yaml`)
      await client.create(customResourceDefinitions, parse(readFileSync(file, 'utf8')))
    }
    await vi.waitFor(() => client.list(platforms))
    await vi.waitFor(() => client.list(platformOperators))
    await using operator = new Operator({ name: 'bundles', client })
    declarePlatform(operator)
    const ran = operator.run({ signals: false })
    const status = async () => (await client.get(platforms, cluster))?.status
    const conditions = async (): Promise<string> => {
      const { conditions } = (await status()) ?? {}
      const one = (type: string): string => conditionOf(conditions, type)?.status ?? 'none'
      return `${one('Available')} ${one('Progressing')} ${one('Degraded')}`
    }
    const report = (name: string, bundle: boolean, ...reported: string[]): Promise<unknown> => {
      const conditions = reported.map(text => {
        const [type = '', status, reason] = text.split(' ')
        return { type, status, reason, message: `${name} ${reason}` }
      })
      const version = { name: `${name}.v1.0.0`, version: '1.0.0', digest: 'sha256:0' }
      const status = { conditions, ...(bundle && { bundle: version }) }
      return client.status.patch(platformOperators, { name }, { status } as PlatformOperator)
    }
    await vi.waitFor(async () => expect(await conditions()).toBe('True False False'))
    for (const name of ['chess', 'go']) {
      await client.create(platformOperators, { metadata: { name }, spec: { package: name, namespace: name } })
    }
    await vi.waitFor(async () => expect(await conditions()).toBe('False True False'))
    const message = async (type: string) => conditionOf((await status())?.conditions, type)?.message
    await vi.waitFor(async () => expect(await message('Progressing')).toBe('2 of 2 progressing: chess, go'))
    await report('chess', true, 'Installed True Installed', 'UpToDate True Newest', 'Healthy True AllAvailable')
    await report('go', false, 'Installed False Refused')
    await vi.waitFor(async () => expect(await conditions()).toBe('False False True'))
    expect((await status())?.operators).toEqual([
      { name: 'chess', version: '1.0.0', available: true, progressing: false, degraded: false },
      { name: 'go', available: false, progressing: false, degraded: true, message: 'Refused: go Refused' },
    ])
    expect(await message('Degraded')).toBe('1 of 2 degraded: go')

    await client.delete(platforms, cluster)
    await vi.waitFor(async () => expect((await status())?.total).toBe(2))
    await client.status.patch(platforms, cluster, { status: { total: 7 } })
    await vi.waitFor(async () => expect((await status())?.total).toBe(2))
    await client.delete(platformOperators, { name: 'go' })
    await vi.waitFor(async () => expect(await conditions()).toBe('True False False'))
    expect((await status())?.operators).toHaveLength(1)
    await operator.close()
    await ran
  })
})
