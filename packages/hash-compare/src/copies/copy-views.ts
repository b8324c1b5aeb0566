import type { KubernetesObject, PartialObjectMetadata, View } from '@wherry/client'
import { namespaces } from '@wherry/client/resources/core'
import type { CopyCache, CopyHandler, CopyHold, CopyInformer, CopyRegistration } from './copy-cache.ts'
import { copySetLabel } from './marks.ts'
import { copyView, type Observed } from './observed.ts'
import type { CopyReconcilerOptions } from './options.ts'

/** What hears of sources, namespaces and copies. */
export interface CopyHandlers<P, T> {
  readonly sources: CopyHandler<P>
  readonly namespaces: CopyHandler<PartialObjectMetadata>
  readonly copies: CopyHandler<Observed<T>>
}

/** Sources, namespaces and copies, held in a cache. */
export class CopyViews<P, T extends KubernetesObject> {
  readonly sources: CopyInformer<P>
  readonly namespaces: CopyInformer<PartialObjectMetadata>
  readonly copies: CopyInformer<Observed<T>>
  readonly #holds: CopyHold<unknown>[] = []
  readonly #registrations: CopyRegistration[] = []

  /**
   * Throws what the cache throws; then nothing is held.
   * @param onError hears of what can not be let go of then.
   */
  constructor(options: CopyReconcilerOptions<P, T>, handlers: CopyHandlers<P, T>, onError: (error: unknown) => void) {
    const { name, cache, source } = options
    const own = sameResource(options) ? source.within({ labels: `!${copySetLabel}` }) : source
    const holder = `copies ${name}`
    try {
      this.sources = this.#hold(cache, own, holder, handlers.sources)
      this.namespaces = this.#hold(
        cache,
        namespaces.metadata() as View<PartialObjectMetadata>,
        holder,
        handlers.namespaces,
      )
      this.copies = this.#hold(cache, copyView(options) as View<Observed<T>>, holder, handlers.copies)
    } catch (error) {
      this.remove()
      for (const one of this.#holds) one.release().catch(onError)
      throw error
    }
  }

  /** Resolves when all that was there at first is known, and was told. */
  async synced(signal?: AbortSignal | undefined): Promise<void> {
    const informers = [this.sources, this.namespaces, this.copies]
    await Promise.all(informers.map(informer => informer.whenSynced({ signal })))
    await Promise.all(this.#registrations.map(registration => registration.whenSynced({ signal })))
  }

  /** Nothing is told any more. */
  remove(): void {
    for (const registration of this.#registrations) registration.remove()
  }

  async release(): Promise<void> {
    await Promise.all(this.#holds.map(hold => hold.release()))
  }

  #hold<C>(cache: CopyCache, view: View<C>, holder: string, handler: CopyHandler<C>): CopyInformer<C> {
    const hold = cache.hold(view, holder)
    this.#holds.push(hold)
    this.#registrations.push(hold.informer.addHandler(handler))
    return hold.informer
  }
}

/** Whether sources and copies are of one resource. */
export function sameResource<P, T extends KubernetesObject>({
  source,
  copies,
}: Pick<CopyReconcilerOptions<P, T>, 'source' | 'copies'>): boolean {
  return source.resource.group === copies.resource.group && source.resource.plural === copies.resource.plural
}
