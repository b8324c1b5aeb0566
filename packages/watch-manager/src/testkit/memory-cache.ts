import { type Environment, type KubernetesObject, OptionRangeError, type View } from '@wherry/client'
import { keyText } from '@wherry/client/internal'
import type { HeldInformer, Hold, WatchedCache } from '../cache.ts'
import { type Entry, MemoryInformer, type MemoryInformerOptions } from './memory-informer.ts'

/** A cluster and a cache of it, in memory: lists take time, watches do not. It logs what it does. */
export class MemoryCache implements WatchedCache {
  readonly #environment: Environment
  readonly #options: MemoryInformerOptions
  readonly #objects = new Map<string, Map<string, KubernetesObject>>()
  readonly #informers = new Map<string, MemoryInformer>()
  readonly #refused = new Map<string, Error>()
  #movesAfter: Promise<void> | undefined
  #version = 0
  #uid = 0
  /** The starts, ends and moves of informers: `start KEY`, `stop KEY`, `rescope KEY KEY`. */
  readonly log: string[] = []
  /** The error that `hold` throws. */
  broken: Error | undefined
  /** The error with which `moveHold` rejects. */
  rigid: Error | undefined

  constructor(environment: Environment, options: MemoryInformerOptions = {}) {
    this.#environment = environment
    this.#options = options
  }

  /** Creates or changes an object. */
  put(view: View, name: string, rest: { namespace?: string; labels?: Record<string, string> } = {}): string {
    const { namespace = 'default', labels = {} } = rest
    const at = view.resource.namespaced ? { name, namespace } : { name }
    const key = keyText(at)
    const objects = this.#of(view)
    const uid = objects.get(key)?.metadata?.uid ?? `uid-${++this.#uid}`
    const object = { metadata: { ...at, uid, resourceVersion: `${++this.#version}`, labels } }
    objects.set(key, object)
    for (const informer of this.#informersOf(view)) informer.changed(key, object, selects(informer.view, object))
    return key
  }

  delete(view: View, name: string, namespace = 'default'): void {
    const key = keyText(view.resource.namespaced ? { name, namespace } : { name })
    const objects = this.#of(view)
    const object = objects.get(key)
    if (object === undefined) return
    objects.delete(key)
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: `${++this.#version}` } }
    for (const informer of this.#informersOf(view)) informer.deleted(key, last)
  }

  /** The objects of a view: resourceVersions by key. */
  contents(view: View): Record<string, string> {
    return Object.fromEntries(this.#list(view).map(([key, { metadata }]) => [key, metadata?.resourceVersion ?? '']))
  }

  /** Makes a view's list fail with an error until {@link allow}. */
  refuse(view: View, error: Error): void {
    this.#refused.set(view.key, error)
  }

  allow(view: View): void {
    this.#refused.delete(view.key)
    this.informer(view)?.list()
  }

  informer(view: View): MemoryInformer | undefined {
    return this.#informers.get(view.key)
  }

  /** Keys of the views that have an informer. */
  get open(): string[] {
    return [...this.#informers.keys()].sort()
  }

  holders(view: View): string[] {
    return [...(this.informer(view)?.holds.values() ?? [])].sort()
  }

  /** Ends an informer although it is held. */
  end(view: View): void {
    const informer = this.informer(view)
    this.#informers.delete(view.key)
    informer?.stop()
  }

  hold<C>(view: View<C>, holder: string): Hold<C> {
    if (this.broken !== undefined) throw this.broken
    const informer = this.#ask(view)
    const hold = Symbol(holder)
    informer.holds.set(hold, holder)
    return {
      informer: informer as HeldInformer<unknown> as HeldInformer<C>,
      release: async () => {
        if (!informer.holds.delete(hold) || informer.holds.size > 0 || this.informer(informer.view) !== informer) return
        this.log.push(`stop ${informer.view.key}`)
        this.end(informer.view)
        await this.#environment.clock.turn()
      },
    }
  }

  /** Delays moves until the returned function is called. */
  delayMoves(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#movesAfter = promise
    return resolve
  }

  async moveHold(hold: Hold<unknown>, to: View): Promise<void> {
    if (this.#movesAfter !== undefined) await this.#movesAfter
    const informer = [...this.#informers.values()].find(one => one === hold.informer)
    if (this.rigid !== undefined) throw this.rigid
    if (informer === undefined) throw new Error('it is held no more')
    const from = informer.view
    if (this.informer(to) !== undefined) throw new OptionRangeError('to', 'a view that is not cached', to.key)
    if (informer.holds.size > 1) throw new OptionRangeError('from', 'a view with one holder', from.key)
    this.#informers.delete(from.key)
    this.#informers.set(to.key, informer)
    this.log.push(`rescope ${from.key} ${to.key}`)
    await informer.rescope(to)
  }

  #ask(view: View): MemoryInformer {
    const found = this.informer(view)
    if (found !== undefined) return found
    this.log.push(`start ${view.key}`)
    const informer = new MemoryInformer(view, this.#environment, this.#options, {
      refused: of => this.#refused.get(of.key),
      list: of => this.#list(of),
      version: () => `${this.#version}`,
    })
    this.#informers.set(view.key, informer)
    return informer
  }

  #list(view: View): Entry[] {
    return [...this.#of(view)].filter(([, object]) => selects(view, object))
  }

  #informersOf(view: View): MemoryInformer[] {
    return [...this.#informers.values()].filter(informer => this.#of(informer.view) === this.#of(view))
  }

  #of({ resource: { group, plural } }: View): Map<string, KubernetesObject> {
    const name = `${group}/${plural}`
    const objects = this.#objects.get(name) ?? new Map<string, KubernetesObject>()
    this.#objects.set(name, objects)
    return objects
  }
}

function selects(view: View, { metadata }: KubernetesObject): boolean {
  const { namespace, labels } = metadata ?? {}
  const inScope = view.namespaces === undefined || (namespace !== undefined && view.namespaces.includes(namespace))
  return inScope && view.labels.matches(labels)
}
