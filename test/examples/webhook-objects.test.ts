import { Client } from '@wherry/client'
import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { changedKinds, webhookObjects } from '../../tools/runner/webhook-objects.ts'

const configuration = (timeoutSeconds: number) => ({
  metadata: { name: 'games' },
  webhooks: [
    {
      ...{ name: 'a.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds },
      clientConfig: { url: 'https://a.example.com' },
    },
  ],
})

const converted = (strategy: string) => ({
  strategy,
  ...(strategy === 'Webhook' && {
    webhook: { clientConfig: { url: 'https://a.example.com' }, conversionReviewVersions: ['v1'] },
  }),
})

it('an apply of the same configuration is no change, and each other change of what names webhooks is one', async () => {
  await using server = await startApiServer()
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const before = await webhookObjects(client)
  expect([...before.keys()]).toEqual([])
  const apply = (timeoutSeconds: number, fieldManager: string): Promise<unknown> =>
    client.apply(validatingWebhookConfigurations, configuration(timeoutSeconds), { fieldManager, force: true })
  await apply(5, 'a')
  const first = await webhookObjects(client)
  expect(changedKinds(before, first)).toEqual(['validatingwebhookconfigurations'])
  await apply(5, 'a')
  const same = await webhookObjects(client)
  expect(changedKinds(first, same)).toEqual([])
  await apply(6, 'a')
  expect(changedKinds(same, await webhookObjects(client))).toEqual(['validatingwebhookconfigurations'])

  const schema = { openAPIV3Schema: { type: 'object' } }
  const define = (strategy: string): Promise<unknown> =>
    client.apply(
      customResourceDefinitions,
      {
        metadata: { name: 'games.arcade.example.com' },
        spec: {
          ...{ group: 'arcade.example.com', scope: 'Namespaced', names: { kind: 'Game', plural: 'games' } },
          ...{ versions: [{ name: 'v1', served: true, storage: true, schema }], conversion: converted(strategy) },
        },
      },
      { fieldManager: 'a', force: true },
    )
  await define('None')
  expect([...(await webhookObjects(client)).keys()]).toEqual(['validatingwebhookconfigurations'])
  const unconverted = await webhookObjects(client)
  await define('Webhook')
  expect(changedKinds(unconverted, await webhookObjects(client))).toEqual(['customresourcedefinitions'])
})
