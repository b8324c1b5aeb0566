import { Client } from '@wherry/client'
import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { games } from './testkit/games.ts'
import { testCertificates, until } from './testkit/on-a-server.ts'
import { readyz } from './testkit/readyz.ts'
import { webhooksOnAServer } from './testkit/scenes.ts'
import { Webhooks } from './webhooks.ts'

describe('webhooks on the embedded server', () => {
  let server: EmbeddedApiServer

  beforeAll(async () => {
    server = await startApiServer()
  })

  afterAll(() => server.close())

  webhooksOnAServer(() => server)

  it('hold readiness until the server listens, their views are synced, and all added checks pass', async () => {
    const { url, ca, token } = server
    const client = new Client({ url, ca, token })
    const operator = new Operator({ name: 'arcade', client, health: {} })
    const certificates = await testCertificates()
    const service = { namespace: 'arcade-system', name: 'arcade' }
    const webhooks = new Webhooks(operator, {
      service,
      certificates,
      configurations: 'manifest',
      host: '127.0.0.1',
      port: 0,
    })
    let trusted = false
    webhooks.addReadyCheck(() => {
      if (!trusted) throw new Error('the API server does not trust the certificate')
    })
    webhooks
      .webhook('limits')
      .for(games)
      .reads(configMaps)
      .validate(() => {})
    const held = await server.faults.add({
      match: { resource: 'configmaps' },
      effect: { kind: 'status', code: 503 },
    })
    const failures: Error[] = []
    const running = operator.run({ signals: false }).catch(error => void failures.push(error))
    await until(() => expect(webhooks.port).toBeGreaterThan(0))
    expect(await readyz(operator)).toContain('[-]webhooks failed')
    expect(operator.cache.covering(configMaps)).toBeUndefined()
    await held.remove()
    await until(() => expect(operator.cache.covering(configMaps)).toBeDefined())
    expect(await readyz(operator)).toContain('[-]webhooks failed')
    trusted = true
    expect(await readyz(operator)).toContain('[-]webhooks failed')
    const caBundle = Buffer.from(certificates.caPem).toString('base64')
    for (const { metadata, webhooks: declared = [] } of webhooks.configurations()) {
      const bundled = declared.map(one => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } }))
      await client.create(validatingWebhookConfigurations, { metadata, webhooks: bundled } as never)
    }
    await until(async () => expect(await readyz(operator)).toBe('ok'))
    await client.delete(validatingWebhookConfigurations, { name: 'arcade' })
    expect(operator.report().informers.map(({ holders }) => holders)).toEqual([['webhook/limits']])
    await operator.close()
    await running
    await client.close()
    expect([webhooks.port, certificates.listeners, failures]).toEqual([0, 0, []])
  })
})
