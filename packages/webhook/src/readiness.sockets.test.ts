import { Client } from '@wherry/client'
import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { Operator } from '@wherry/controller'
import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { inBundle } from './bundles/bundle.ts'
import { games } from './testkit/games.ts'
import { until } from './testkit/on-a-server.ts'
import { readyz } from './testkit/readyz.ts'
import { Webhooks } from './webhooks.ts'

it('B3: an operator is not ready while the API server has a bundle that does not trust its serving certificate', async () => {
  const server = await startApiServer()
  const { url, ca, token } = server
  const client = new Client({ url, ca, token, environment: { onError: () => {} } })
  const operator = new Operator({ name: 'arcade', client, health: {} })
  const webhooks = new Webhooks(operator, {
    ...{ service: { namespace: 'default', name: 'arcade' }, groups: ['arcade.example.com'] },
    ...{ host: '127.0.0.1', port: 0, configurations: 'manifest' },
  })
  webhooks
    .webhook('limits')
    .for(games)
    .validate(() => {})
  const [manifest] = webhooks.configurations()
  await client.create(validatingWebhookConfigurations, manifest as never)
  const held = await server.faults.add({
    match: { resource: 'validatingwebhookconfigurations.admissionregistration.k8s.io', verb: 'patch' },
    effect: { kind: 'status', code: 503 },
  })
  const running = operator.run({ signals: false })
  await until(() => expect([operator.state, webhooks.port > 0]).toEqual(['running', true]))
  expect(await readyz(operator)).toContain('[-]webhooks failed')
  await held.remove()
  await until(async () => expect(await readyz(operator)).toBe('ok'))
  const live = await client.get(validatingWebhookConfigurations, { name: 'arcade' })
  expect(inBundle(live?.webhooks?.[0]?.clientConfig.caBundle).size).toBe(2)
  await operator.close()
  await running
  await client.close()
  await server.close()
})
