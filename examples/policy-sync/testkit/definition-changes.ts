import { type Client, defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import type { ApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { configs } from '../config.ts'
import type { ConstraintStatus } from '../constraint.ts'
import type { KindName } from '../kinds.ts'
import { templates } from '../template.ts'
import { audited, constrain, installed, Running, sync } from './running.ts'
import { requiredLabels, uniqueHosts } from './templates.ts'

const patience = 300_000

/** A kind of a group of its own, so that several can change at once on one server. */
export class Widgets {
  readonly kind: KindName
  readonly #client: Client

  constructor(client: Client, group: string) {
    this.#client = client
    this.kind = { group, kind: 'Widget' }
  }

  resource(version: string, plural = 'widgets'): Resource<KubernetesObject, 'namespaced'> {
    return defineResource<KubernetesObject>({ ...this.kind, version, plural, namespaced: true })
  }

  async define(version: string, plural = 'widgets'): Promise<void> {
    const { group } = this.kind
    const names = { kind: 'Widget', listKind: 'WidgetList', plural, singular: plural.slice(0, -1) }
    await this.#client.create(customResourceDefinitions, {
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: 'Namespaced', names, versions: served([version]) },
    })
  }

  async undefine(): Promise<void> {
    await this.#client.delete(customResourceDefinitions, this.#name)
    await vi.waitFor(async () => expect(await this.#client.get(customResourceDefinitions, this.#name)).toBeUndefined())
  }

  async serve(version: string): Promise<void> {
    await this.#client.patch(customResourceDefinitions, this.#name, { spec: { versions: served([version]) } })
    await vi.waitFor(() => this.#client.list(this.resource(version)))
  }

  async fill(resource: Resource<KubernetesObject, 'namespaced'>, count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const metadata = { namespace: 'default', name: `w${index}` }
      await vi.waitFor(() => this.#client.create(resource, { metadata }))
    }
  }

  get #name(): { name: string } {
    return { name: `widgets.${this.kind.group}` }
  }
}

const served = (names: readonly string[]) =>
  ['v1', 'v2'].map(name => ({
    name,
    served: names.includes(name),
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object' } },
  }))

/** What changes the definition of a kind that has one violating object; returns how many it has afterwards. */
const changes: Record<string, (widgets: Widgets) => Promise<number>> = {
  'serves v2 and stops v1': async widgets => {
    await widgets.serve('v2')
    return 1
  },
  'is made again with v2': async widgets => {
    await widgets.undefine()
    await widgets.define('v2')
    await widgets.fill(widgets.resource('v2'), 2)
    return 2
  },
  'is made again with another plural': async widgets => {
    await widgets.undefine()
    await widgets.define('v1', 'gadgets')
    await widgets.fill(widgets.resource('v1', 'gadgets'), 3)
    return 3
  },
}

/** Tests what happens to constraints and the Config when definitions change. */
export function testDefinitionChanges(start: () => Promise<ApiServer>): void {
  const parameters = { labels: ['owner'] }
  const found = async (status: () => Promise<ConstraintStatus>, totalViolations: number, what = ''): Promise<void> =>
    vi.waitFor(async () => {
      expect(audited(await status()), what).toBe('Audited')
      expect(await status(), what).toMatchObject({ totalViolations })
    })

  it(
    `finds a kind again if its definition ${Object.keys(changes).join(', or ')}, for old constraints and new ones, and after a restart`,
    async () => {
      await using server = await start()
      await using client = await installed(server)
      const kinds = Object.entries(changes).map(([what, change], index) => {
        return { what, change, name: `kind${index}`, widgets: new Widgets(client, `group${index}.example.com`) }
      })
      const each = (act: (kind: (typeof kinds)[number]) => Promise<void>): Promise<unknown> =>
        Promise.all(kinds.map(act))
      const constraintOn = ({ widgets, name }: (typeof kinds)[number], age: string) =>
        constrain(client, requiredLabels, `${name}-${age}`, { match: [widgets.kind], parameters })
      let running = new Running(client)
      try {
        const first = new Map<string, () => Promise<ConstraintStatus>>()
        const after = new Map<string, number>()
        await sync(client, ...kinds.map(({ widgets }) => widgets.kind))
        await client.create(templates, requiredLabels)
        await each(async kind => {
          const { widgets, what, name, change } = kind
          await widgets.define('v1')
          await widgets.fill(widgets.resource('v1'), 1)
          const old = await constraintOn(kind, 'old')
          await found(old, 1, what)
          const count = await change(widgets)
          await found(old, count, what)
          await found(await constraintOn(kind, 'new'), count, what)
          first.set(name, old)
          after.set(name, count)
        })
        const synced = kinds.map(() => ({ state: 'Synced' }))
        await vi.waitFor(async () =>
          expect((await client.get(configs, { name: 'config' }))?.status?.kinds).toMatchObject(synced),
        )
        await running.close()
        running = new Running(client)
        await each(async kind => {
          const count = after.get(kind.name) as number
          await found(await constraintOn(kind, 'newer'), count, kind.what)
          await found(first.get(kind.name) as () => Promise<ConstraintStatus>, count, kind.what)
        })
      } finally {
        await running.close()
      }
    },
    patience,
  )

  it(
    'a constraint on a kind that has gone is not audited, with objects or without, nor is one with a policy that looks it up',
    async () => {
      await using server = await start()
      await using client = await installed(server)
      const widgets = new Widgets(client, 'example.com')
      const match = [widgets.kind]
      await widgets.define('v1')
      const running = new Running(client)
      try {
        await client.create(templates, requiredLabels)
        const lookup = structuredClone(uniqueHosts)
        lookup.spec.expression = `lookup("example.com", "Widget", "metadata.name", object.metadata.name).size() == 0`
        await sync(client, widgets.kind)
        await client.create(templates, lookup)
        const matching = await constrain(client, requiredLabels, 'x', { match, parameters })
        const looking = await constrain(client, lookup, 'x', { match: [{ group: '', kind: 'Namespace' }] })
        await found(matching, 0)
        await found(looking, 0)
        await widgets.undefine()
        await vi.waitFor(async () => expect(audited(await matching())).toBe('NotInstalled'))
        await vi.waitFor(async () => expect(audited(await looking())).toBe('NotSynced'))
        await widgets.define('v2')
        await widgets.fill(widgets.resource('v2'), 1)
        await found(matching, 1)
        await found(looking, 0)
        await widgets.undefine()
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
