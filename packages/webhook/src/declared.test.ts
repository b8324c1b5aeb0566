import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { Client, defineResource } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { type DeclaredRight, Operator } from '@wherry/controller'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Conversion } from './conversion/conversion.ts'
import type { WebhookDetails } from './declared.ts'
import type { WebhooksOptions } from './options.ts'
import { games } from './testkit/games.ts'
import { Webhooks } from './webhooks.ts'

interface Published {
  readonly rights: readonly DeclaredRight[]
  readonly components: readonly { readonly name: string; readonly details: WebhookDetails }[]
}

let published: Published[]
const listener = (message: unknown): void => void published.push(message as Published)

beforeEach(() => {
  published = []
  subscribe('wherry.operator.run', listener)
})

afterEach(() => unsubscribe('wherry.operator.run', listener))

/** What an operator with webhooks publishes when it is run; it ends at once. Nothing listens at its server. */
async function declared(options: Partial<WebhooksOptions> = {}): Promise<Published> {
  await using client = new Client({ url: 'http://127.0.0.1:9' })
  await using operator = new Operator({ name: 'arcade', client })
  const webhooks = new Webhooks(operator, { service: { namespace: 'system', name: 'arcade-webhooks' }, ...options })
  webhooks
    .webhook('limits')
    .for(games)
    .reads(configMaps.within({ namespaces: ['a'] }))
    .reads(configMaps.within({ fields: { 'metadata.name': 'quota' } }))
    .validate(() => {})
  webhooks
    .webhook('owner')
    .for(games)
    .mutate(() => {})
  const old = defineResource({ ...games.resource, version: 'v1beta1' })
  webhooks.convert(new Conversion(games).version(old, { toHub: () => ({}), fromHub: () => ({}) }))
  await operator.run({ signal: AbortSignal.abort() })
  return published[0] as Published
}

const lines = ({ rights }: Published): string[] =>
  rights.map(({ verb, resource, namespace, name, exact }) =>
    [verb, resource, namespace ?? '-', name ?? '-', exact ? 'exactly' : 'or more'].join(' '),
  )

/** The table of docs/webhooks.md, for the operator `arcade` in `system`. */
function documented(): string[] {
  const page = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
  const quoted = (cell = ''): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, text]) => text as string)
  return page
    .split('\n')
    .filter(line => /^\| `(secrets|services|validating|customresource)/.test(line))
    .flatMap(line => {
      const [, resources, verbs, names] = line.split('|')
      const name = (quoted(names)[0] ?? '-')
        .replace('SERVICE', 'arcade-webhooks')
        .replace('NAME', 'arcade')
        .replace('PLURAL.GROUP', 'games.arcade.example.com')
      return quoted(resources).flatMap(resource =>
        quoted(verbs).map(verb => `${verb} ${resource} ${/^se/.test(resource) ? 'system' : '-'} ${name} exactly`),
      )
    })
}

it('K4: webhooks declare the rights that the documentation names, exactly, and those of what their handlers read', async () => {
  const all = lines(await declared())
  const reads = ['list configmaps a - or more', 'watch configmaps a - or more']
  // Its fields name the one object: the right is to that alone.
  reads.push('list configmaps - quota or more', 'watch configmaps - quota or more')
  expect(all.toSorted()).toEqual([...documented(), ...reads].sort())
  const byHand = lines(await declared({ configurations: 'manifest' }).then(() => published[1] as Published))
  expect(byHand).toEqual(all.filter(line => !/^create \w+webhookconfigurations|^get services/.test(line)))
  const files = { cert: '/certs/tls.crt', key: '/certs/tls.key' }
  const mounted = lines(await declared({ certificates: { files } }).then(() => published[2] as Published))
  expect(mounted).toEqual(all.filter(line => !line.includes(' secrets ')))
})

it('K7: webhooks declare what they are deployed with, and configurations only if a manifest has them', async () => {
  const { components } = await declared()
  expect(components).toMatchObject([
    {
      name: 'webhooks',
      details: {
        ...{ service: { namespace: 'system', name: 'arcade-webhooks', port: 443 }, port: 9443, fails: true },
        configurations: [],
        conversions: [{ definition: 'games.arcade.example.com', conversion: { strategy: 'Webhook' } }],
      },
    },
  ])
  await declared({ configurations: 'manifest' })
  expect(published[1]?.components[0]?.details.configurations.map(({ kind }) => kind)).toEqual([
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
  ])
  expect(JSON.stringify(published)).not.toContain('caBundle')
  // The port is not known before it listens.
  await declared({ configurations: 'manifest', address: '127.0.0.1', port: 0 })
  expect(published[2]?.components[0]?.details).toMatchObject({
    address: '127.0.0.1',
    configurations: [],
    conversions: [],
  })
})
