import { createHash } from 'node:crypto'
import { Client, type PartialObjectMetadata, projector, type View } from '@wherry/client'
import type { ConfigMap } from '@wherry/client/resources/core'
import {
  type CopyCache,
  type CopyHandler,
  type CopyHold,
  type CopyInformer,
  CopyReconciler,
  copySetLabel,
  copySourceLabel,
} from '@wherry/hash-compare'
import { fillSource, SOURCES } from './fill-source.ts'
import { type Mode, optionsOf } from './reconciler.ts'

const ROUNDS = 5
const EVENTS = 20_000

/**
 * Microseconds of processor time that a reconciler has with the event of one copy that is as it should be, from its handler until
 * it is at rest: the median of five rounds of 20,000 events. Its cache is scripted, so that nothing else is measured.
 */
export async function eventCost(copies: number, mode: Mode): Promise<number> {
  const client = new Client({ url: 'http://127.0.0.1:1' })
  const cache = new ScriptedCache(Math.max(1, copies / SOURCES))
  const reconciler = new CopyReconciler(optionsOf(client, cache, mode))
  try {
    reconciler.start()
    await reconciler.settled()
    const { skipped, writes } = reconciler.report()
    if (skipped < copies || writes.create > 0)
      throw new Error(`the copies are not known: ${JSON.stringify({ skipped, writes })}`)
    const costs: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const begin = process.cpuUsage()
      for (let event = 0; event < EVENTS; event += 100) {
        cache.changed(event, 100)
        await reconciler.settled()
      }
      const { user, system } = process.cpuUsage(begin)
      costs.push((user + system) / EVENTS)
    }
    return costs.sort((a, b) => a - b)[ROUNDS >> 1] as number
  } finally {
    await reconciler.close()
    await client.close()
  }
}

class Scripted<C> implements CopyInformer<C> {
  readonly state = 'watching'
  readonly lastSyncedResourceVersion = '1'
  readonly objects = new Map<string, C>()
  handler: CopyHandler<C> | undefined

  get size(): number {
    return this.objects.size
  }

  get(key: string): C | undefined {
    return this.objects.get(key)
  }

  keys(): IterableIterator<string> {
    return this.objects.keys()
  }

  async whenSynced(): Promise<void> {}

  addHandler(handler: CopyHandler<C>): { whenSynced(): Promise<void>; remove(): void } {
    this.handler = handler
    for (const [key, object] of this.objects) handler.add(object, { key, isInInitialList: true })
    return { whenSynced: async () => {}, remove: () => {} }
  }
}

/** Sources, namespaces, and a copy of each source in each of them, as the view asks for it. */
class ScriptedCache implements CopyCache {
  readonly #sources = new Scripted<ConfigMap>()
  readonly #namespaces = new Scripted<PartialObjectMetadata>()
  readonly #copies = new Scripted<unknown>()
  readonly #whole = new Map<string, object>()
  /** What is told of, found before it is measured: the time for that is the cache's. */
  #told: readonly (readonly [key: string, object: unknown])[] = []

  constructor(namespaces: number) {
    for (const object of fillSource(namespaces)) {
      const { kind, metadata } = object as PartialObjectMetadata
      if (kind === 'Namespace') this.#namespaces.objects.set(`${metadata.name}`, object as PartialObjectMetadata)
      else this.#sources.objects.set(`${metadata.namespace}/${metadata.name}`, object as ConfigMap)
    }
    let version = 0
    for (const [key, { metadata, ...source }] of this.#sources.objects) {
      const id = createHash('sha256').update(key).digest('hex').slice(0, 32)
      const labels = { ...metadata?.labels, [copySetLabel]: 'bench', [copySourceLabel]: id }
      for (const [namespace, { metadata: of }] of this.#namespaces.objects) {
        if (of.labels?.tenant === undefined) continue
        const own = { namespace, name: metadata?.name, labels, uid: `u-${++version}`, resourceVersion: `${version}` }
        this.#whole.set(`${namespace}/${metadata?.name}`, { ...source, metadata: own })
      }
    }
  }

  hold<C>(view: View<C>): CopyHold<C> {
    const informer =
      view.resource.plural === 'namespaces' ? this.#namespaces : view.namespaces ? this.#sources : this.#copies
    if (informer === this.#copies) {
      const project = projector(view)
      for (const [key, object] of this.#whole) {
        this.#copies.objects.set(key, project(object))
      }
      this.#told = [...this.#copies.objects]
    }
    return { informer: informer as unknown as CopyInformer<C>, release: async () => {} }
  }

  /** Tells of changes that change nothing that counts, of `count` copies from the `first` on. */
  changed(first: number, count: number): void {
    for (let i = first; i < first + count; i++) {
      const [key, object] = this.#told[(i * 7919) % this.#told.length] as readonly [string, unknown]
      this.#copies.handler?.update(object, object, { key })
    }
  }
}
