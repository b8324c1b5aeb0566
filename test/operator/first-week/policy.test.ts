import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, nodes, pods, secrets, serviceAccounts } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
import { ask } from '@wherry/testing/real/testkit/client'
import { expect, it } from 'vitest'
import { addPolicies, type Policy, policies } from './policy.ts'
import { define, definitionOf, onBothServers, RunningOperator, type Stage } from './stage.ts'

/** A kind that is installed while the operator runs: of a group of its own, since a server knows it in all namespaces. */
interface Kind {
  readonly definition: CustomResourceDefinition
  readonly resource: Resource<KubernetesObject, 'namespaced'>
}

function gameOf(group: string): Kind {
  const schema = { openAPIV3Schema: { type: 'object' } }
  const definition: CustomResourceDefinition = {
    metadata: { name: `games.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Game', plural: 'games' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  const resource = defineResource<KubernetesObject>({
    group,
    version: 'v1',
    kind: 'Game',
    plural: 'games',
    namespaced: true,
  })
  return { definition, resource }
}

/** Policies in one namespace, and an operator for them. */
class Policing implements AsyncDisposable {
  readonly games: Kind
  readonly #stage: Stage
  #running: RunningOperator

  constructor(stage: Stage) {
    this.#stage = stage
    this.games = gameOf(`${stage.namespace}.example.com`)
    this.#running = this.#start()
  }

  get writes(): number {
    return this.#running.writes
  }

  get errors(): readonly string[] {
    return this.#running.errors.map(({ message }) => message)
  }

  /** The resources with cached objects, as `group/version/plural`. */
  get cached(): string[] {
    return [...this.#running.operator.cache.informers].map(
      ({ view }) => `${view.resource.group}/${view.resource.plural}`,
    )
  }

  async require(name: string, group: string, kind: string, label = 'team'): Promise<void> {
    const metadata = { namespace: this.#stage.namespace, name }
    await this.#stage.client.create(policies, { metadata, spec: { group, version: 'v1', kind, label } })
    await this.settled()
  }

  async change(name: string, spec: Partial<Policy['spec']>): Promise<void> {
    await this.#stage.client.patch(policies, this.key(name), { spec })
    await this.settled()
  }

  async drop(name: string): Promise<void> {
    await this.#stage.client.delete(policies, this.key(name))
    await this.settled()
  }

  /** What the status says: the violations, or why nothing is watched. */
  async said(name: string): Promise<readonly string[] | string | undefined> {
    const status = (await this.#stage.client.get(policies, this.key(name)))?.status
    return status?.violations ?? status?.conditions?.[0]?.reason
  }

  async create(resource: Resource<KubernetesObject, 'namespaced'>, name: string, labels = {}): Promise<void> {
    await this.#stage.client.create(resource, { metadata: { ...this.key(name), labels } })
    await this.settled()
  }

  async label(resource: Resource<KubernetesObject, 'namespaced'>, name: string, labels: Record<string, string | null>) {
    await this.#stage.client.patch(resource, this.key(name), { metadata: { labels } })
    await this.settled()
  }

  async delete(resource: Resource<KubernetesObject, 'namespaced'>, name: string): Promise<void> {
    await this.#stage.client.delete(resource, this.key(name))
    await this.settled()
  }

  async install(): Promise<void> {
    await define(this.#stage.client, this.games.definition)
    await this.settled()
  }

  async uninstall(): Promise<void> {
    const name = this.games.definition.metadata?.name ?? ''
    await this.#stage.client.delete(customResourceDefinitions, { name })
    await expect.poll(() => this.#stage.client.get(customResourceDefinitions, { name })).toBeUndefined()
    await this.settled()
  }

  settled(): Promise<void> {
    return this.#running.settled()
  }

  async restart(): Promise<void> {
    await this.#running[Symbol.asyncDispose]()
    this.#running = this.#start()
    await this.settled()
  }

  key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#stage.namespace, name }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]()
  }

  #start(): RunningOperator {
    const add = (operator: Operator) => addPolicies(operator, this.#stage.namespace)
    return new RunningOperator(this.#stage.server, { name: 'policy-operator' }, add)
  }
}

onBothServers([definitionOf('policies.policy.example.com')], stage => {
  it('says which objects lack the label, whenever they change', async () => {
    await using policing = new Policing(stage())
    await policing.create(secrets, 'a')
    await policing.create(secrets, 'b', { team: 'blue' })
    await policing.require('teams', '', 'Secret')
    expect(await policing.said('teams')).toEqual(['a'])
    await policing.label(secrets, 'b', { team: null })
    expect(await policing.said('teams')).toEqual(['a', 'b'])
    await policing.label(secrets, 'a', { team: 'red' })
    expect(await policing.said('teams')).toEqual(['b'])
    await policing.create(secrets, 'c')
    expect(await policing.said('teams')).toEqual(['b', 'c'])
    await policing.delete(secrets, 'b')
    expect(await policing.said('teams')).toEqual(['c'])
    expect(policing.errors).toEqual([])
  })

  it('watches a kind when it is installed, and until it is removed', async () => {
    await using policing = new Policing(stage())
    const { group } = policing.games.definition.spec
    await policing.require('teams', group, 'Game')
    expect(await policing.said('teams')).toBe('NotInstalled')
    await policing.install()
    expect(await policing.said('teams')).toEqual([])
    await policing.create(policing.games.resource, 'chess')
    expect(await policing.said('teams')).toEqual(['chess'])
    await policing.uninstall()
    expect(await policing.said('teams')).toBe('NotInstalled')
    await policing.install()
    await policing.create(policing.games.resource, 'go')
    expect(await policing.said('teams')).toEqual(['go'])
    expect(policing.errors).toEqual([])
  })

  it('writes nothing after a restart', async () => {
    await using policing = new Policing(stage())
    await policing.install()
    await policing.create(policing.games.resource, 'chess')
    await policing.require('games', policing.games.definition.spec.group, 'Game')
    await policing.require('secrets', '', 'Secret')
    await policing.require('none', 'nowhere.example.com', 'Nothing')
    await policing.restart()
    expect(policing.writes).toBe(0)
    expect([await policing.said('games'), await policing.said('none')]).toEqual([['chess'], 'NotInstalled'])
    expect(policing.errors).toEqual([])
  })

  it('shares a watch between policies, and ends it with the last', async () => {
    await using policing = new Policing(stage())
    await policing.create(secrets, 'a', { team: 'red' })
    await policing.require('teams', '', 'Secret')
    await policing.require('costs', '', 'Secret', 'cost')
    expect([await policing.said('teams'), await policing.said('costs')]).toEqual([[], ['a']])
    expect(policing.cached.filter(name => name === '/secrets')).toHaveLength(1)
    await policing.drop('teams')
    await policing.label(secrets, 'a', { cost: 'low' })
    expect(await policing.said('costs')).toEqual([])
    await policing.drop('costs')
    expect(policing.cached).not.toContain('/secrets')
  })

  it('watches the kinds of all policies', async () => {
    await using policing = new Policing(stage())
    await policing.create(secrets, 'a')
    await policing.create(configMaps, 'b')
    await policing.require('secrets', '', 'Secret')
    await policing.require('settings', '', 'ConfigMap')
    await policing.label(secrets, 'a', { team: 'red' })
    await policing.label(configMaps, 'b', { team: 'red' })
    expect(await policing.said('secrets')).toEqual([])
    expect(await policing.said('settings')).not.toContain('b')
    expect(policing.errors).toEqual([])
  })

  it('goes on with another kind when the policy names one', async () => {
    await using policing = new Policing(stage())
    await policing.create(secrets, 'a')
    await policing.create(configMaps, 'b', { cost: 'low' })
    await policing.require('teams', '', 'Secret')
    await policing.change('teams', { kind: 'ConfigMap' })
    expect(await policing.said('teams')).toContain('b')
    expect(policing.cached).not.toContain('/secrets')
    const name = `node-${stage().namespace}`
    await stage().client.create(nodes, { metadata: { name } })
    await policing.change('teams', { kind: 'Node' })
    expect(await policing.said('teams')).toContain(name)
    expect(policing.errors).toEqual([])
  })

  it('writes nothing when the scheduler binds a Pod', async () => {
    await using policing = new Policing(stage())
    const { client, server, namespace } = stage()
    await client.apply(serviceAccounts, { metadata: { namespace, name: 'default' } }, { force: true })
    const spec = { containers: [{ name: 'web', image: 'web:1' }] }
    await client.create(pods, { metadata: policing.key('web'), spec })
    await policing.require('teams', '', 'Pod')
    expect(await policing.said('teams')).toEqual(['web'])
    const { writes } = policing
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'web' },
      target: { kind: 'Node', name: 'one' },
    }
    const access = { url: server.url, ca: server.ca ?? '', token: server.token }
    const { status } = await ask(access, 'POST', `/api/v1/namespaces/${namespace}/pods/web/binding`, binding)
    expect(status).toBe(201)
    await policing.settled()
    expect((await client.get(pods, policing.key('web')))?.spec?.nodeName).toBe('one')
    expect(policing.writes).toBe(writes)
    await policing.label(pods, 'web', { team: 'red' })
    expect(await policing.said('teams')).toEqual([])
  })
})
