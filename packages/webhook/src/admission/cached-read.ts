import type { FromServer, View } from '@wherry/client'
import type { Operator } from '@wherry/controller'
import { NotInCacheError } from '../errors.ts'
import type { CachedKey, CachedListOptions, CachedRead } from '../handler/context.ts'

/** The reads of a request, from the current state of the caches. */
export class OperatorCacheRead implements CachedRead {
  readonly #cache: Operator['cache']
  readonly #declared: readonly View[]
  readonly #namespace: string | undefined
  readonly #signal: AbortSignal

  constructor(
    cache: Operator['cache'],
    request: {
      readonly declared: readonly View[]
      readonly namespace: string | undefined
      readonly signal: AbortSignal
    },
  ) {
    this.#cache = cache
    this.#declared = request.declared
    this.#namespace = request.namespace
    this.#signal = request.signal
  }

  async get<C>(view: View<C>, { name, namespace }: CachedKey): Promise<FromServer<C> | undefined> {
    this.#mustBeCached(view)
    const of = view.resource.namespaced ? (namespace ?? this.#namespace) : undefined
    return this.#cache.get(view, of === undefined ? { name } : { name, namespace: of }, { signal: this.#signal })
  }

  async list<C>(view: View<C>, options: CachedListOptions = {}): Promise<FromServer<C>[]> {
    this.#mustBeCached(view)
    return this.#cache.list(view, { ...options, signal: this.#signal })
  }

  /** Throws if no synced cache serves a view. A synced cache answers at once. */
  #mustBeCached(view: View): void {
    if (this.#cache.covering(view) !== undefined) return
    throw new NotInCacheError(
      view.key,
      this.#declared.some(({ key }) => key === view.key),
    )
  }
}
