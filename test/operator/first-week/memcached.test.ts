import { deployments } from '@wherry/client/resources/apps'
import { configMaps, services } from '@wherry/client/resources/core'
import { conditionOf, type Operator } from '@wherry/controller'
import { expect, it } from 'vitest'
import { addMemcacheds, type Memcached, memcacheds, type Registry, servers } from './memcached.ts'
import { definitionOf, onBothServers, RunningOperator, type Stage } from './stage.ts'

/** A registry that can be down. */
class Names implements Registry {
  readonly addresses = new Map<string, string>()
  isDown = false

  async register(name: string, address: string): Promise<void> {
    this.#check()
    this.addresses.set(name, address)
  }

  async unregister(name: string): Promise<void> {
    this.#check()
    this.addresses.delete(name)
  }

  #check(): void {
    if (this.isDown) throw new Error('the registry is down')
  }
}

/** Memcacheds in one namespace, an operator for them, and all others that change what it makes. */
class Caches implements AsyncDisposable {
  readonly registry = new Names()
  readonly #stage: Stage
  #running: RunningOperator

  constructor(stage: Stage) {
    this.#stage = stage
    this.#running = this.#start()
  }

  get writes(): number {
    return this.#running.writes
  }

  get errors(): readonly string[] {
    return this.#running.errors.map(({ message }) => message)
  }

  async create(name: string, spec: Memcached['spec']): Promise<void> {
    await this.#stage.client.create(memcacheds, { metadata: this.#key(name), spec })
    await this.settled()
  }

  async change(name: string, spec: { size?: number | null; image?: string }): Promise<void> {
    await this.#stage.client.patch(memcacheds, this.#key(name), { spec })
    await this.settled()
  }

  async delete(name: string): Promise<void> {
    await this.#stage.client.delete(memcacheds, this.#key(name))
  }

  get(name: string): Promise<Memcached | undefined> {
    return this.#stage.client.get(memcacheds, this.#key(name))
  }

  async image(name: string): Promise<string | undefined> {
    return (await this.deployment(name))?.spec?.template.spec?.containers[0]?.image
  }

  async replicas(name: string): Promise<number | undefined> {
    return (await this.deployment(name))?.spec?.replicas
  }

  deployment(name: string) {
    return this.#stage.client.get(deployments, this.#key(name))
  }

  service(name: string) {
    return this.#stage.client.get(services, this.#key(name))
  }

  async shared(): Promise<Record<string, string> | undefined> {
    return (await this.#stage.client.get(configMaps, this.#key(servers)))?.data
  }

  async shareMore(data: Record<string, string>): Promise<void> {
    await this.#stage.client.patch(configMaps, this.#key(servers), { data })
    await this.settled()
  }

  async setImage(name: string, image: string): Promise<void> {
    const change = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image }] as const
    await this.#stage.client.patch(deployments, this.#key(name), change)
    await this.settled()
  }

  async deleteService(name: string): Promise<void> {
    await this.#stage.client.delete(services, this.#key(name))
    await this.settled()
  }

  /** As an autoscaler does. */
  async scale(name: string, replicas: number): Promise<void> {
    const key = this.#key(name)
    await this.#stage.client.scale.patch(deployments, key, { spec: { replicas } }, { fieldManager: 'autoscaler' })
    await this.settled()
  }

  /** As the controller of Deployments does when Pods run. */
  async run(name: string, readyReplicas: number): Promise<void> {
    const status = { replicas: readyReplicas, readyReplicas, availableReplicas: readyReplicas }
    await this.#stage.client.status.patch(deployments, this.#key(name), { status })
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]()
  }

  #key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#stage.namespace, name }
  }

  #start(): RunningOperator {
    const add = (operator: Operator) => addMemcacheds(operator, this.#stage.namespace, this.registry)
    return new RunningOperator(this.#stage.server, { name: 'memcached-operator' }, add)
  }
}

onBothServers([definitionOf('memcacheds.cache.example.com')], stage => {
  it('makes a Deployment and a Service that go with their Memcached, and says in the status how it is', async () => {
    await using caches = new Caches(stage())
    await caches.create('a', { size: 3 })
    const uid = (await caches.get('a'))?.metadata?.uid
    const owner = { kind: 'Memcached', name: 'a', uid, controller: true }
    expect((await caches.deployment('a'))?.metadata?.ownerReferences).toMatchObject([owner])
    expect((await caches.service('a'))?.metadata?.ownerReferences).toMatchObject([owner])
    expect(await caches.replicas('a')).toBe(3)
    const before = (await caches.get('a'))?.status
    expect(before).toMatchObject({
      readyReplicas: 0,
      conditions: [{ type: 'Available', status: 'False', reason: 'NoPods' }],
    })
    await caches.run('a', 2)
    const after = (await caches.get('a'))?.status
    expect(after).toMatchObject({
      readyReplicas: 2,
      conditions: [{ type: 'Available', status: 'True', reason: 'Running' }],
    })
    expect(conditionOf(after?.conditions, 'Available')?.lastTransitionTime).toMatch(/^\d{4}-.*Z$/)
    await caches.delete('a')
    await expect.poll(() => caches.deployment('a')).toBeUndefined()
    await expect.poll(() => caches.service('a')).toBeUndefined()
    expect(caches.errors).toEqual([])
  })

  it('keeps the time of a condition while its status is the same', async () => {
    await using caches = new Caches(stage())
    await caches.create('a', { size: 3 })
    await caches.run('a', 1)
    const first = (await caches.get('a'))?.status?.conditions
    await caches.run('a', 2)
    await caches.restart()
    expect((await caches.get('a'))?.status?.conditions).toEqual(first)
  })

  it('writes nothing after a restart', async () => {
    await using caches = new Caches(stage())
    await caches.create('a', { size: 2 })
    await caches.create('b', {})
    await caches.scale('b', 4)
    await caches.run('a', 2)
    await caches.restart()
    expect(caches.writes).toBe(0)
    expect(caches.errors).toEqual([])
  })

  it('undoes what others do to its fields, and leaves theirs', async () => {
    await using caches = new Caches(stage())
    await caches.create('a', { size: 2 })
    await caches.setImage('a', 'other:1')
    expect(await caches.image('a')).toBe('memcached:1.6')
    await caches.scale('a', 7)
    expect(await caches.replicas('a')).toBe(2)
    await caches.deleteService('a')
    expect(await caches.service('a')).toBeDefined()
  })

  it('leaves the replicas to an autoscaler where the Memcached has no size', async () => {
    await using caches = new Caches(stage())
    await caches.create('a', {})
    expect(await caches.replicas('a')).toBe(1)
    await caches.scale('a', 5)
    await caches.change('a', { image: 'memcached:1.7' })
    expect([await caches.image('a'), await caches.replicas('a')]).toEqual(['memcached:1.7', 5])
    const { writes } = caches
    await caches.scale('a', 6)
    expect(caches.writes).toBe(writes)
    await caches.change('a', { size: 2 })
    expect(await caches.replicas('a')).toBe(2)
    await caches.change('a', { size: null })
    expect(await caches.replicas('a')).toBe(1)
    await caches.scale('a', 6)
    expect(await caches.replicas('a')).toBe(6)
  })

  it('has a line for each Memcached in one ConfigMap, which others may write to', async () => {
    await using caches = new Caches(stage())
    const [a, b] = ['a', 'b'].map(name => `${name}.${stage().namespace}.svc:11211`)
    await caches.create('a', { size: 1 })
    await caches.create('b', { size: 1 })
    expect(await caches.shared()).toEqual({ a, b })
    await caches.shareMore({ motd: 'hello', a: 'nowhere' })
    expect(await caches.shared()).toEqual({ a, b, motd: 'hello' })
    await caches.delete('a')
    await caches.settled()
    expect(await caches.shared()).toEqual({ b, motd: 'hello' })
    expect(caches.errors).toEqual([])
  })

  it('is not gone before the registry has forgotten it', async () => {
    await using caches = new Caches(stage())
    await caches.create('a', { size: 1 })
    const name = `${stage().namespace}/a`
    expect([...caches.registry.addresses.keys()]).toEqual([name])
    caches.registry.isDown = true
    await caches.delete('a')
    await expect.poll(() => caches.errors).toContain('the registry is down')
    expect(await caches.get('a')).toBeDefined()
    caches.registry.isDown = false
    await caches.settled()
    expect(await caches.get('a')).toBeUndefined()
    expect([...caches.registry.addresses]).toEqual([])
  })
})
