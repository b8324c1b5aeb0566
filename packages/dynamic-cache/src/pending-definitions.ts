import type { ChangeType, Client, ResourceDefinition } from '@wherry/client'
import { resourceName, targetsOf } from '@wherry/client/internal'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { apiServices } from '@wherry/client/resources/apiregistration'
import type { Snapshot, StoreWriter } from '@wherry/informer'
import { Reflector, type StreamingSupport } from '@wherry/informer/internal'

interface Waiting {
  readonly callbacks: Set<() => void>
  readonly reflectors: readonly Reflector[]
}

/**
 * Waits for the definition of a resource that the server does not serve: its CustomResourceDefinition, or the APIService of its group (rules D7,
 * D8). It watches the metadata of that object. All callers share the watch, which is open only while a caller waits.
 */
export class PendingDefinitions {
  readonly #client: Client
  readonly #streaming: StreamingSupport
  readonly #waiting = new Map<string, Waiting>()
  /** Reflectors that are ending. */
  readonly #ending = new Set<Promise<unknown>>()

  constructor(client: Client, streaming: StreamingSupport) {
    this.#client = client
    this.#streaming = streaming
  }

  /** The number of resources that callers wait for. */
  get size(): number {
    return this.#waiting.size
  }

  /**
   * Calls `callback` whenever the server may serve the resource by now: if a definition exists, appears or changes. Returns a function that
   * ends the wait.
   */
  wait(resource: ResourceDefinition, callback: () => void): () => void {
    const key = resourceName(resource)
    const waiting = this.#waiting.get(key) ?? this.#open(key, resource)
    waiting.callbacks.add(callback)
    return () => {
      if (!waiting.callbacks.delete(callback) || waiting.callbacks.size > 0) return
      this.#waiting.delete(key)
      void this.#end(waiting)
    }
  }

  /** Ends all waits. Resolves when all watches are closed. */
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
    const callbacks = new Set<() => void>()
    // Nothing defines the core group: only the reflector's own next try can find the resource.
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
          new ExistenceWatcher(() => {
            for (const callback of [...callbacks]) callback()
          }),
        )
        reflector.start()
        return reflector
      })
    const waiting = { callbacks, reflectors }
    this.#waiting.set(key, waiting)
    return waiting
  }
}

/** A writer that stores nothing. It calls back if an object exists, and if it changes. */
class ExistenceWatcher implements StoreWriter {
  synced = false
  readonly #exists: () => void

  constructor(exists: () => void) {
    this.#exists = exists
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
        if (count > 0) this.#exists()
      },
      drop() {},
    }
  }

  change(type: ChangeType): void {
    if (type !== 'DELETED') this.#exists()
  }

  progress(): void {}
  clear(): void {}
  close(): void {}
}
