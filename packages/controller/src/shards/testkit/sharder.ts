import { createHash } from 'node:crypto'
import {
  type Client,
  type Clock,
  isResourceNotFound,
  type KubernetesObject,
  type Timer,
  type View,
} from '@wherry/client'
import { asError, sleep } from '@wherry/client/internal'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type Lease, leases } from '@wherry/client/resources/coordination'
import { controllerOf } from '../../objects/owner.ts'
import { type ControllerRing, controllerRings } from '../ring.ts'
import { labelsOf, ringLabel } from '../ring-names.ts'

const stateLabel = 'alpha.sharding.timebertt.dev/state'

/** Defines the resource on a server, and creates a ring. */
export async function defineRing(
  client: Client,
  name: string,
  resources: NonNullable<NonNullable<ControllerRing['spec']>['resources']>,
): Promise<void> {
  await defineRings(client)
  await client.create(controllerRings, { metadata: { name }, spec: { resources } })
}

/** Defines ControllerRings on a server, and resolves when they are served. */
export async function defineRings(client: Client): Promise<void> {
  const { group, version, kind, plural } = controllerRings.resource
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } as never }
  await client.create(customResourceDefinitions, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Cluster', names: { kind, listKind: `${kind}List`, plural, singular: 'controllerring' } },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  })
  const isServed = (): Promise<boolean> =>
    client.list(controllerRings).then(
      () => true,
      error => {
        if (!isResourceNotFound(error)) throw error
        return false
      },
    )
  while (!(await isServed())) await sleep(client.environment.clock, 50)
}

/** A resource of the ring; those of a controlled one move with their owners. */
export interface ShardedView {
  readonly view: View
  readonly isControlled?: boolean
}

type State = 'ready' | 'expired' | 'uncertain' | 'dead' | 'orphaned'

/**
 * The protocol of kubernetes-controller-sharding's sharder, v0.11.0: its states of shards, when it takes a lease, what it drains and moves. It is
 * one loop in place of a webhook and two controllers, and hashes by rendezvous.
 */
export class Sharder {
  readonly #client: Client
  readonly #clock: Clock
  readonly #ring: string
  readonly #views: readonly ShardedView[]
  readonly #writes: (() => Promise<number>) | undefined
  readonly errors: Error[] = []
  /** How often an object was asked back, or moved. */
  drains = 0
  moves = 0
  /** The count of writes and the shards of the last pass, and the number of passes in a row that had the same. */
  #from = ''
  #passes = 0
  #timer: Timer | undefined
  #pass: Promise<void> = Promise.resolve()
  #ended = false

  /** `writes` counts the requests that may have changed an object. With it, a pass lists objects only if this count or the shards changed. */
  constructor(client: Client, ring: string, views: readonly ShardedView[], writes?: () => Promise<number>) {
    this.#client = client
    this.#clock = client.environment.clock
    this.#ring = ring
    this.#views = views
    this.#writes = writes
  }

  start(everyMs = 500): void {
    const next = (): void => {
      if (this.#ended) return
      this.#timer = this.#clock.timer(everyMs, () => {
        this.#pass = this.sync().then(next)
      })
    }
    next()
  }

  async close(): Promise<void> {
    this.#ended = true
    this.#timer?.cancel()
    await this.#pass
  }

  /** One pass over all leases and objects. */
  async sync(): Promise<void> {
    try {
      const states = await this.#leases()
      const available = [...states].filter(([, state]) => !['dead', 'orphaned'].includes(state)).map(([name]) => name)
      if (available.length === 0 || !(await this.#mayDiffer(available))) return
      for (const sharded of this.#views) await this.#assign(sharded, available)
    } catch (thrown) {
      this.errors.push(asError(thrown))
    }
  }

  /** A request is counted before its change is stored, so the second pass after it lists once more. */
  async #mayDiffer(available: readonly string[]): Promise<boolean> {
    if (this.#writes === undefined) return true
    const from = `${await this.#writes()} ${available.join(' ')}`
    this.#passes = from === this.#from ? this.#passes + 1 : 1
    this.#from = from
    return this.#passes <= 2
  }

  async #leases(): Promise<ReadonlyMap<string, State>> {
    const { items } = await this.#client.list(leases.within({ labels: `${ringLabel}=${this.#ring}` }))
    const states = new Map<string, State>()
    for (const lease of items) {
      const state = this.#stateOf(lease)
      states.set(lease.metadata.name, state)
      await this.#keep(lease, state).catch(() => {})
    }
    return states
  }

  #stateOf({ metadata, spec = {} }: Lease): State {
    const { holderIdentity, renewTime, leaseDurationSeconds } = spec
    const now = this.#clock.now()
    const durationMs = (leaseDurationSeconds ?? 15) * 1000
    const toExpired = (renewTime === undefined ? now : Date.parse(renewTime)) + durationMs - now
    if (!holderIdentity || holderIdentity !== metadata?.name) return toExpired + 60_000 <= 0 ? 'orphaned' : 'dead'
    if (toExpired + durationMs <= 0) return 'uncertain'
    return toExpired <= 0 ? 'expired' : 'ready'
  }

  async #keep(lease: Lease, state: State): Promise<void> {
    const { name = '', namespace = '', resourceVersion = '', labels } = lease.metadata ?? {}
    const key = { name, namespace }
    if (state === 'orphaned')
      return void (await this.#client.delete(leases, key, { preconditions: { resourceVersion } }))
    if (labels?.[stateLabel] !== state) {
      lease = await this.#client.patch(leases, key, { metadata: { resourceVersion, labels: { [stateLabel]: state } } })
    }
    if (state !== 'uncertain') return
    const time = `${new Date(this.#clock.now()).toISOString().slice(0, -1)}000Z`
    const leaseDurationSeconds = 2 * (lease.spec?.leaseDurationSeconds ?? 15)
    await this.#client.update(leases, {
      ...lease,
      spec: {
        ...{ holderIdentity: 'shardlease-controller', acquireTime: time, renewTime: time, leaseDurationSeconds },
        leaseTransitions: (lease.spec?.leaseTransitions ?? 0) + 1,
      },
    })
  }

  async #assign({ view, isControlled = false }: ShardedView, available: readonly string[]): Promise<void> {
    const { shard, drain } = labelsOf(this.#ring)
    const { items } = await this.#client.list(view as View<KubernetesObject>)
    for (const object of items) {
      const { name = '', namespace = '', resourceVersion, labels = {} } = object.metadata ?? {}
      const owner = isControlled ? controllerOf(object)?.name : name
      if (owner === undefined) continue
      const desired = choose(available, `${namespace}/${owner}`)
      const current = labels[shard]
      if (current === desired) continue
      const isDrained = current !== undefined && available.includes(current) && !isControlled
      if (isDrained && labels[drain] !== undefined) continue
      const change = isDrained ? { [drain]: 'true' } : { [shard]: desired, [drain]: null }
      try {
        await this.#client.patch(view, { name, namespace }, { metadata: { resourceVersion, labels: change } })
        if (isDrained) this.drains += 1
        else this.moves += 1
      } catch (thrown) {
        // The object has changed: the next pass sees to it.
        this.errors.push(asError(thrown))
      }
    }
  }
}

function choose(shards: readonly string[], key: string): string {
  return shards.toSorted((a, b) => (weightOf(a, key) < weightOf(b, key) ? -1 : 1))[0] as string
}

/** The weights so far. Members and objects of all tests have few names. */
const weights = new Map<string, string>()

function weightOf(shard: string, key: string): string {
  const text = `${shard} ${key}`
  const known = weights.get(text)
  if (known !== undefined) return known
  const weight = createHash('sha256').update(text).digest('hex')
  weights.set(text, weight)
  return weight
}
