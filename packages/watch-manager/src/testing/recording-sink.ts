import type { KubernetesObject, View } from '@wherry/client'
import { compareResourceVersions } from '@wherry/client/internal'
import { isThenable } from '../is-thenable.ts'
import type { Sink, SinkEvent } from '../sink.ts'

/** How a recording sink takes events. */
export interface RecordingSinkOptions {
  /** How many events are delivered at a time. @default 1 */
  readonly concurrency?: number | undefined
  /** Called for each event. The sink returns what this function returns, or throws what it throws. A failed event is not recorded. */
  readonly answer?: ((event: SinkEvent) => unknown) | undefined
  /** Whether every event is kept, and not only the resulting objects. @default true */
  readonly events?: boolean | undefined
}

/** The last state of an object of a view. */
interface Known {
  readonly resourceVersion: string
  readonly uid: string | undefined
  readonly deleted: boolean
}

interface KnownView {
  readonly objects: Map<string, unknown>
  /** Keys not delivered since `reset`; `undefined` when no replay is going on. */
  stale: Set<string> | undefined
  readonly seen: Map<string, Known>
  /** Whether the view was moved: an object that left the former selection by its last change may be in the new one unchanged. */
  moved: boolean
}

/**
 * A sink for tests: records its events, keeps the objects that exist according to them, and checks what a sink can rely on.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { DynamicCache } from '@wherry/dynamic-cache'
 * import { WatchManager } from '@wherry/watch-manager'
 * import { RecordingSink } from '@wherry/watch-manager/testing'
 *
 * const manager = new WatchManager({ cache: new DynamicCache({ client: await Client.connect() }) })
 * const sink = new RecordingSink()
 * const audit = manager.registrar('audit', sink)
 * await audit.add(configMaps)
 * manager.start()
 * await audit.synced()
 * console.log([...sink.contents(configMaps).keys()], sink.problems)
 * ```
 */
export class RecordingSink implements Sink {
  readonly concurrency: number
  /** Its events in order, failed calls included. */
  readonly events: SinkEvent[] = []
  /** Events that break the contract, a line each: an older state after a newer one, an event of a removed view, … */
  readonly problems: string[] = []
  readonly #options: RecordingSinkOptions
  readonly #views = new Map<string, KnownView>()
  readonly #removed = new Set<string>()
  readonly #running = new Set<string>()
  #closed = false

  constructor(options: RecordingSinkOptions = {}) {
    this.#options = options
    this.concurrency = options.concurrency ?? 1
  }

  /** The objects of a view, by key. */
  contents(view: View): ReadonlyMap<string, unknown> {
    return this.#views.get(view.key)?.objects ?? new Map()
  }

  /** Whether a replay of the view is going on. */
  replaying(view: View): boolean {
    return this.#views.get(view.key)?.stale !== undefined
  }

  event(event: SinkEvent): unknown {
    if (this.#options.events !== false) this.events.push(event)
    this.#watch(event)
    const call = `${event.view.key} ${event.key ?? event.type}`
    const result = this.#options.answer?.(event)
    if (!isThenable(result)) return this.#take(event)
    this.#running.add(call)
    return Promise.resolve(result)
      .finally(() => this.#running.delete(call))
      .then(() => this.#take(event))
  }

  rescoped(from: View, to: View): void {
    const known = this.#views.get(from.key)
    if (known === undefined) return
    known.moved = true
    this.#views.delete(from.key)
    this.#views.set(to.key, known)
    this.#removed.delete(to.key)
  }

  removed(view: View): void {
    this.#views.delete(view.key)
    this.#removed.add(view.key)
  }

  closed(): void {
    this.#closed = true
  }

  #watch(event: SinkEvent): void {
    const { view, key, type } = event
    const at = `${type} ${key ?? ''} of ${view.key}`
    if (this.#closed) this.problems.push(`${at}: after the end`)
    if (this.#running.size >= this.concurrency) this.problems.push(`${at}: more than ${this.concurrency} calls at once`)
    if (this.#running.has(`${view.key} ${key ?? type}`)) this.problems.push(`${at}: two calls at once for one object`)
    if (type === 'reset') {
      // The view is wanted again, or a replay begins.
      this.#removed.delete(view.key)
      return
    }
    if (this.#removed.has(view.key)) this.problems.push(`${at}: after it was removed`)
    if (!this.#views.has(view.key)) this.problems.push(`${at}: before a reset`)
    if (type === 'synced') {
      const running = [...this.#running].filter(call => call.startsWith(`${view.key} `))
      if (running.length > 0) this.problems.push(`${at}: while ${running.join(', ')} had not settled`)
      return
    }
    this.#watchVersion(event, at)
  }

  #watchVersion(event: SinkEvent & { readonly key: string }, at: string): void {
    const { resourceVersion, uid } = (event.object as KubernetesObject).metadata ?? {}
    const { seen, moved } = this.#view(event.view)
    const known = seen.get(event.key)
    if (resourceVersion === undefined) return
    if (known !== undefined) {
      const order = compareResourceVersions(resourceVersion, known.resourceVersion)
      if (order === 'older') this.problems.push(`${at}: ${resourceVersion} after ${known.resourceVersion}`)
      // An object that left the selection may come back, changed.
      const gone = known.deleted && event.type === 'changed' && uid === known.uid && order !== 'newer' && !moved
      if (gone) this.problems.push(`${at}: after its deletion`)
    }
    seen.set(event.key, { resourceVersion, uid, deleted: event.type === 'deleted' })
  }

  #take(event: SinkEvent): void {
    if (this.#removed.has(event.view.key) || this.#closed) return
    const known = this.#view(event.view)
    switch (event.type) {
      case 'reset':
        known.stale = new Set(known.objects.keys())
        break
      case 'synced':
        for (const key of [...event.failed, ...event.retrying]) known.stale?.delete(key)
        for (const key of known.stale ?? []) known.objects.delete(key)
        known.stale = undefined
        break
      case 'changed':
        known.stale?.delete(event.key)
        known.objects.set(event.key, event.object)
        break
      case 'deleted':
        known.objects.delete(event.key)
    }
  }

  #view({ key }: View): KnownView {
    const known = this.#views.get(key) ?? { objects: new Map(), stale: undefined, seen: new Map(), moved: false }
    this.#views.set(key, known)
    return known
  }
}
