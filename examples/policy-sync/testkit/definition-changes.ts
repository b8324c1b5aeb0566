import { type Client, defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import type { ApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { configs } from '../config.ts'
import type { ConstraintStatus } from '../constraint.ts'
import { templates } from '../template.ts'
import { audited, constrain, installed, Running, sync } from './running.ts'
import { requiredLabels, uniqueHosts } from './templates.ts'

const group = 'example.com'
const kind = { group, kind: 'Widget' }
const patience = 300_000

const widgets = (version: string, plural = 'widgets'): Resource<KubernetesObject, 'namespaced'> =>
  defineResource<KubernetesObject>({ ...kind, version, plural, namespaced: true })

const served = (names: readonly string[]) =>
  ['v1', 'v2'].map(name => ({
    name,
    served: names.includes(name),
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object' } },
  }))

async function define(client: Client, version: string, plural = 'widgets'): Promise<void> {
  const names = { kind: 'Widget', listKind: 'WidgetList', plural, singular: plural.slice(0, -1) }
  await client.create(customResourceDefinitions, {
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: served([version]) },
  })
}

async function undefine(client: Client): Promise<void> {
  const name = { name: `widgets.${group}` }
  await client.delete(customResourceDefinitions, name)
  await vi.waitFor(async () => expect(await client.get(customResourceDefinitions, name)).toBeUndefined())
}

async function fill(client: Client, resource: Resource<KubernetesObject, 'namespaced'>, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const metadata = { namespace: 'default', name: `w${index}` }
    await vi.waitFor(() => client.create(resource, { metadata }))
  }
}

/** What changes the definition of a kind with `before` violating objects; returns how many there are afterwards. */
const changes: Record<string, (client: Client) => Promise<number>> = {
  'serves v2 and stops v1': async client => {
    await client.patch(customResourceDefinitions, { name: `widgets.${group}` }, { spec: { versions: served(['v2']) } })
    await vi.waitFor(() => client.list(widgets('v2')))
    return 1
  },
  'is made again with v2': async client => {
    await undefine(client)
    await define(client, 'v2')
    await fill(client, widgets('v2'), 2)
    return 2
  },
  'is made again with another plural': async client => {
    await undefine(client)
    await define(client, 'v1', 'gadgets')
    await fill(client, widgets('v1', 'gadgets'), 3)
    return 3
  },
}

/** Tests what happens to constraints and the Config when definitions change. */
export function testDefinitionChanges(start: () => Promise<ApiServer>): void {
  const match = [kind]
  const parameters = { labels: ['owner'] }
  const found = async (status: () => Promise<ConstraintStatus>, totalViolations: number): Promise<void> =>
    vi.waitFor(async () => {
      expect(audited(await status())).toBe('Audited')
      expect(await status()).toMatchObject({ totalViolations })
    })

  it.each(Object.keys(changes))(
    'finds a kind again whose definition %s, for old constraints and new ones, and after a restart',
    async name => {
      await using server = await start()
      await using client = await installed(server)
      await define(client, 'v1')
      await fill(client, widgets('v1'), 1)
      let running = new Running(client)
      try {
        await sync(client, kind)
        await client.create(templates, requiredLabels)
        const first = await constrain(client, requiredLabels, 'first', { match, parameters })
        await found(first, 1)
        const after = (await changes[name]?.(client)) as number
        await found(first, after)
        await found(await constrain(client, requiredLabels, 'second', { match, parameters }), after)
        await vi.waitFor(async () =>
          expect((await client.get(configs, { name: 'config' }))?.status?.kinds).toMatchObject([{ state: 'Synced' }]),
        )
        await running.close()
        running = new Running(client)
        await found(await constrain(client, requiredLabels, 'third', { match, parameters }), after)
        await found(first, after)
      } finally {
        await running.close()
      }
    },
    patience,
  )

  it(
    'a constraint on a kind that has gone is not audited, with objects or without, nor is one whose policy looks it up',
    async () => {
      await using server = await start()
      await using client = await installed(server)
      await define(client, 'v1')
      const running = new Running(client)
      try {
        await client.create(templates, requiredLabels)
        const lookup = structuredClone(uniqueHosts)
        lookup.spec.expression = `lookup("${group}", "Widget", "metadata.name", object.metadata.name).size() == 0`
        await sync(client, kind)
        await client.create(templates, lookup)
        const matching = await constrain(client, requiredLabels, 'x', { match, parameters })
        const looking = await constrain(client, lookup, 'x', { match: [{ group: '', kind: 'Namespace' }] })
        await found(matching, 0)
        await found(looking, 0)
        await undefine(client)
        await vi.waitFor(async () => expect(audited(await matching())).toBe('NotInstalled'))
        await vi.waitFor(async () => expect(audited(await looking())).toBe('NotSynced'))
        await define(client, 'v2')
        await fill(client, widgets('v2'), 1)
        await found(matching, 1)
        await found(looking, 0)
        await client.delete(customResourceDefinitions, { name: `widgets.${group}` })
        await vi.waitFor(async () => {
          expect(audited(await matching())).toBe('NotInstalled')
          expect(await matching()).toMatchObject({ totalViolations: 0, violations: [] })
        })
      } finally {
        await running.close()
      }
    },
    patience,
  )
}
