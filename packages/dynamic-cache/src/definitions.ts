import type { Client } from '@wherry/client'
import type { ChangeType, ResourceDefinition } from '@wherry/client/internal'
import { resourceName, targetsOf } from '@wherry/client/internal'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { apiServices } from '@wherry/client/resources/apiregistration'
import { Reflector, type Snapshot, type StoreWriter, type StreamingSupport } from '@wherry/informer/internal'

interface Waiting {
  readonly hopes: Set<() => void>
  readonly reflectors: readonly Reflector[]
}

/**
 * Waits for what defines a resource that the server does not know: its CustomResourceDefinition, or the APIService of its
 * group (rules D7, D8). Each is one watch of the metadata of that one object, however many wait for it, open only while
 * somebody does.
 */
export class Definitions {
  readonly #client: Client
  readonly #streaming: StreamingSupport
  readonly #waiting = new Map<string, Waiting>()
  /** What is not gone yet. */
  readonly #ending = new Set<Promise<unknown>>()

  constructor(client: Client, streaming: StreamingSupport) {
    this.#client = client
    this.#streaming = streaming
  }

  /** How many resources are waited for. */
  get size(): number {
    return this.#waiting.size
  }

  /**
   * Calls `hope` whenever there may be reason to look for the resource again: a definition is there, has come or has
   * changed. Returns what ends that.
   */
  wait(resource: ResourceDefinition, hope: () => void): () => void {
    const key = resourceName(resource)
    const waiting = this.#waiting.get(key) ?? this.#open(key, resource)
    waiting.hopes.add(hope)
    return () => {
      if (!waiting.hopes.delete(hope) || waiting.hopes.size > 0) return
      this.#waiting.delete(key)
      void this.#end(waiting)
    }
  }

  /** Ends all. Resolves when their watches are closed, and those that ended before. */
  async close(): Promise<void> {
    for (const waiting of this.#waiting.values()) void this.#end(waiting)
    this.#waiting.clear()
    await Promise.all(this.#ending)
  }

  #end({ reflectors }: Waiting): Promise<unknown> {
    const ending: Promise<unknown> = Promise.all(reflectors.map(reflector => reflector.stop())).finally(() =>
      this.#ending.delete(ending),
    )
    this.#ending.add(ending)
    return ending
  }

  #open(key: string, { group, version, plural }: ResourceDefinition): Waiting {
    const hopes = new Set<() => void>()
    // The core group is defined by nothing: there is nothing to wait for but the reflector's own next try.
    const definitions =
      group === ''
        ? []
        : [
            customResourceDefinitions.within({ fields: { 'metadata.name': `${plural}.${group}` } }).metadata(),
            apiServices.within({ fields: { 'metadata.name': `${version}.${group}` } }).metadata(),
          ]
    const reflectors = definitions
      .flatMap(view => targetsOf(view))
      .map(target => {
        const reflector = new Reflector({
          client: this.#client,
          target,
          streaming: this.#streaming,
          firstList: 'newest',
        })
        reflector.add(
          new Notice(() => {
            for (const hope of [...hopes]) hope()
          }),
        )
        reflector.start()
        return reflector
      })
    const waiting = { hopes, reflectors }
    this.#waiting.set(key, waiting)
    return waiting
  }
}

/** A writer that keeps nothing: it only notices that there is something, or that it changed. */
class Notice implements StoreWriter {
  synced = false
  readonly #notice: () => void

  constructor(notice: () => void) {
    this.#notice = notice
  }

  replace(): Snapshot {
    let count = 0
    return {
      put: () => {
        count += 1
      },
      remove: () => {
        count -= 1
      },
      commit: () => {
        this.synced = true
        if (count > 0) this.#notice()
      },
      drop() {},
    }
  }

  change(type: ChangeType): void {
    if (type !== 'DELETED') this.#notice()
  }

  progress(): void {}
  clear(): void {}
  close(): void {}
}
