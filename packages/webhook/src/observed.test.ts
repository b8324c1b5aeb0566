import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { defineResource } from '@wherry/client'
import { secrets } from '@wherry/client/resources/core'
import { afterEach, expect, it } from 'vitest'
import type { WebhookDefinition } from './declaration/definition.ts'
import { type ObservedWebhooks, observation, observedAdmission } from './observed.ts'
import type { WebhooksOptions } from './options.ts'
import { games } from './testkit/games.ts'

let listener: (message: unknown) => void = () => {}

function onStart(listen: (webhooks: ObservedWebhooks) => void): void {
  listener = message => listen(message as ObservedWebhooks)
  subscribe('wherry.webhooks.start', listener)
}

afterEach(() => unsubscribe('wherry.webhooks.start', listener))

const given: WebhooksOptions = {
  ...{ service: { namespace: 'system', name: 'arcade' }, groups: ['arcade.example.com'], port: 9443 },
  ...{ configurations: 'manifest', certificates: { files: { cert: '/certs/tls.crt', key: '/certs/tls.key' } } },
}

it('webhooks are served as their options say, if no tool says otherwise', () => {
  expect(observation('arcade', given)).toEqual({ options: given, isLeftOut: false, listeners: [], asked: [] })
})

it('a tool has webhooks served on this machine, with nothing that only a cluster has, or left out', () => {
  onStart(webhooks => webhooks.serveHere())
  expect(observation('arcade', given).options).toEqual({
    ...{ service: { namespace: 'kube-system', name: 'arcade' }, groups: ['arcade.example.com'] },
    ...{ address: '127.0.0.1', host: '127.0.0.1', port: 0 },
  })
  unsubscribe('wherry.webhooks.start', listener)
  onStart(webhooks => webhooks.leaveOut())
  expect(observation('arcade', given)).toMatchObject({ options: given, isLeftOut: true })
})

it('an admission names what was asked and changed, and has no value of a Secret', () => {
  const patch = [
    { op: 'add', path: '/data/key', value: 'eA==' },
    { op: 'remove', path: '/data/old' },
  ] as const
  const seen = (view: WebhookDefinition['view']): readonly string[] => {
    const { group, version, plural: resource } = view.resource
    const request = { uid: '1', operation: 'CREATE', resource: { group, version, resource }, namespace: 'a' }
    const answer = { allowed: true, warnings: [], patch, status: undefined }
    const object = { metadata: { generateName: 'chess-' } }
    const definition = { name: 'limits', view } as WebhookDefinition
    const observed = observedAdmission(definition, { ...request, object }, answer, { startedAt: 1, tookMs: 2 })
    expect(observed).toMatchObject({ object: 'a/chess-', allowed: true, message: '', user: '', isDryRun: false })
    return [observed.resource, ...observed.changes]
  }
  expect(seen(games)).toEqual(['games.arcade.example.com', 'add /data/key "eA=="', 'remove /data/old'])
  expect(seen(secrets)).toEqual(['secrets', 'add /data/key', 'remove /data/old'])
  const others = defineResource({ ...secrets.resource, group: 'vault.example.com', plural: 'vaultsecrets' })
  expect(seen(others).slice(1)).toEqual(['add /data/key', 'remove /data/old'])
})
