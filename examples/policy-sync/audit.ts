import { setImmediate } from 'node:timers/promises'
import type { KubernetesObject, View } from '@wherry/client'
import type { SinkEvent, WatchManager } from '@wherry/watch-manager'
import { maxViolations, type Violation } from './constraint.ts'
import { type Kinds, textOf } from './kinds.ts'
import type { Match } from './match.ts'
import { type Policy, sliceSize } from './policies.ts'
import { ObjectStore, type OnChange } from './store.ts'

/** What an audit of one constraint found. */
export interface Findings {
  readonly totalViolations: number
  /** The first of them, by kind, namespace and name. */
  readonly violations: Violation[]
}

/**
 * The objects that constraints match, and audits over them.
 *
 * While an audit runs, its registrar takes no events: what changes meanwhile waits in the caches' journals, and other registrars receive it
 * at once.
 */
export class Audit {
  readonly objects: ObjectStore<KubernetesObject>
  readonly #registrar: ReturnType<typeof WatchManager.prototype.registrar<KubernetesObject>>
  /** By template. */
  readonly #wanted = new Map<string, readonly View<KubernetesObject>[]>()
  #running: Promise<unknown> = Promise.resolve()
  #isRunning = false

  constructor(manager: WatchManager, kinds: Kinds, onChange: OnChange<KubernetesObject>) {
    const objects = new ObjectStore(onChange)
    this.objects = objects
    this.#registrar = manager.registrar<KubernetesObject>('audit', {
      event: event => (this.#isRunning ? this.#running.then(() => this.#eventAfterAudit(event)) : objects.event(event)),
      removed: view => objects.removed(view),
    })
    kinds.usedBy({ registrar: this.#registrar, store: objects })
  }

  /** Watches what a template's constraints match, in addition to what those of other templates do. */
  async watch(template: string, views: readonly View<KubernetesObject>[]): Promise<void> {
    if (views.length > 0) this.#wanted.set(template, views)
    else this.#wanted.delete(template)
    await this.#registrar.replace([...this.#wanted.values()].flat())
  }

  /** Whether a kind is to be watched. It is not once the server does not serve it any more. */
  wants(view: View): boolean {
    return this.#registrar.intended.some(({ key }) => key === view.key)
  }

  /** Why a kind is not watched, where that is known: it may be forbidden. */
  whyPending(view: View): Error | undefined {
    return this.#registrar.pending.find(pending => pending.view.key === view.key)?.reason
  }

  /** Runs an audit, one at a time. */
  async run<T>(audit: () => Promise<T>): Promise<T> {
    const running = this.#running.then(async () => {
      this.#isRunning = true
      try {
        return await audit()
      } finally {
        this.#isRunning = false
      }
    })
    this.#running = running.catch(() => {})
    return running
  }

  /** Decides on the objects of some kinds that match, a slice at a time. @throws PolicyError */
  async find(
    policy: Policy,
    params: unknown,
    match: Match,
    kinds: Iterable<string>,
    signal: AbortSignal,
  ): Promise<Findings> {
    const violations: Violation[] = []
    for (const kind of kinds) {
      const objects = this.objects.objects(kind).filter(object => match.matches(kind, object))
      for (let from = 0; from < objects.length; from += sliceSize) {
        const slice = objects.slice(from, from + sliceSize)
        policy.decide(slice, params).forEach((message, index) => {
          const { namespace = '', name = '' } = slice[index]?.metadata ?? {}
          if (message !== undefined) violations.push({ kind, namespace, name, message })
        })
        await setImmediate()
        signal.throwIfAborted()
      }
    }
    const order = (one: Violation): string => JSON.stringify([one.kind, one.namespace, one.name])
    violations.sort((a, b) => (order(a) < order(b) ? -1 : 1))
    return { totalViolations: violations.length, violations: violations.slice(0, maxViolations) }
  }

  /** The kinds, of some views, with objects that it does not have yet. */
  unread(views: readonly View<KubernetesObject>[]): View<KubernetesObject>[] {
    return views.filter(({ resource }) => !this.objects.isReady(textOf(resource)))
  }

  /** The view may have been removed while the event waited. */
  #eventAfterAudit(event: SinkEvent<KubernetesObject>): void {
    if (this.wants(event.view)) this.objects.event(event)
  }
}
