import {
  type Client,
  defineResource,
  type ObjectKey,
  type PartialObjectMetadata,
  type Scope,
  type View,
} from '@wherry/client'
import { resourceKey } from '../reads/own-writes.ts'
import { isWithin } from '../reads/selection-scope.ts'
import type { ControllerShard, Shard } from './controller-shard.ts'
import { type Drained, Drains } from './drains.ts'
import type { RingSettings } from './options.ts'
import type { RingResources } from './ring.ts'
import { labelsOf, type RingLabels } from './ring-names.ts'

/** This process as a shard of a ring. */
export class RingShard implements Shard {
  readonly ring: string
  readonly name: string
  readonly election: Shard['election']
  readonly labels: RingLabels
  readonly #resources: RingResources
  /** By resource. */
  readonly #drains = new Map<string, Drains>()

  constructor({ ring, name, election }: RingSettings, resources: RingResources) {
    this.ring = ring
    this.name = name
    this.election = { ...election, name }
    this.labels = labelsOf(ring)
    this.#resources = resources
  }

  /** @throws UsageError if the ring does not list the resource of the primary objects */
  part(controller: string, view: View): RingPart {
    this.#resources.mustHave(view.resource, controller)
    const key = resourceKey(view.resource)
    const drains = this.#drains.get(key) ?? new Drains(this.labels)
    this.#drains.set(key, drains)
    return new RingPart(this, drains, this.#resources, view)
  }

  /** The ring gives the shard its objects when it sees the lease. */
  async mayStart(): Promise<void> {}
}

/** The part of a controller that one shard runs: the primary objects that the ring has assigned to it. */
export class RingPart implements ControllerShard, Drained {
  readonly ring: string
  readonly name: string
  /** The objects that the shard is to release, whatever else the primary view selects. */
  readonly drained: View<PartialObjectMetadata>
  readonly #labels: RingLabels
  readonly #drains: Drains
  /** The label that assigns an object to this shard, as a selector. */
  readonly #mine: string
  readonly #isControlled: (view: View) => boolean
  /** The keys that were released while the informer still showed them. */
  readonly #released = new Set<string>()
  /** Whether the informer of the primary objects shows a key. */
  #shows: (key: string) => boolean = () => false

  constructor(shard: RingShard, drains: Drains, resources: RingResources, { resource, namespaces }: View) {
    this.ring = shard.ring
    this.name = shard.name
    this.#labels = shard.labels
    this.#drains = drains
    this.#mine = `${shard.labels.shard}=${shard.name}`
    this.#isControlled = view => resources.controls(resource, view.resource)
    const labels = `${this.#mine},${shard.labels.drain}`
    const drained = defineResource(resource).metadata()
    this.drained = drained.within(namespaces === undefined ? { labels } : { labels, namespaces })
    drains.add(this)
  }

  get assigned(): RingPart {
    return this
  }

  primary<C, S extends Scope>(view: View<C, S>): View<C, S> {
    return view.within({ labels: `${this.#mine},!${this.#labels.drain}` })
  }

  narrow(view: View): View {
    return this.#isControlled(view) ? view.within({ labels: this.#mine }) : view
  }

  /** @param shows whether the informer of the primary objects shows a key */
  watch(shows: (key: string) => boolean): void {
    this.#shows = shows
  }

  accepts(key: string): boolean {
    return isWithin(this.drained, key)
  }

  /** Whether the labels of an object assign it to this shard. */
  isOurs(labels: Readonly<Record<string, string>> | undefined): boolean {
    return labels?.[this.#labels.shard] === this.name && !Object.hasOwn(labels, this.#labels.drain)
  }

  /** Whether this controller has given up a key that it was asked to release. */
  hasGivenUp(key: string): boolean {
    return this.#drains.has(this, key)
  }

  /** Notes that a run of a key begins, which is this shard's. */
  begins(key: string): void {
    this.#drains.forget(this, key)
  }

  /** See {@link Drains.giveUp}. */
  giveUp(key: ObjectKey, version: string, client: Client, signal: AbortSignal): Promise<boolean> {
    return this.#drains.giveUp(this, this.drained, key, version, client, signal)
  }

  releasing(key: string): () => void {
    if (!this.#shows(key)) return () => {}
    this.#released.add(key)
    return () => void this.#released.delete(key)
  }

  /** An object has gone from the informer. Returns whether that is because this shard has released it. */
  wasReleased(key: string): boolean {
    return this.#released.delete(key)
  }
}
