import type { Scope, View } from '@wherry/client'
import type { SharedInformer } from '@wherry/informer'

/**
 * The cache that stands behind a watch manager: it keeps an informer for each view that has a hold. The dynamic cache
 * is one, and any other that keeps this contract will do.
 */
export interface WatchedCache {
  /**
   * Holds `view` for `holder` (a registrar's name, for messages and reports), until the hold is released. Returns at
   * once; what must be asked of a server is asked later.
   *
   * - Holds are counted, each by its identity: one holder may hold a view twice.
   * - The first hold starts the view's informer, unless it is there already. While an informer is being removed, a hold
   *   begins a new one, whole (rule D6).
   * - While it is held, nobody removes it: an attempt fails with an error that names a holder (rule D4).
   * - A resource that the server does not know (yet), or forbids, is no error here. The informer goes on trying, or waits
   *   until the resource is discovered, and starts without another call (rules D7, D8).
   *
   * @throws what makes the view impossible to hold now: another projection of the same name, a cache that was closed. The
   * watch manager tries again, with backoff.
   */
  hold<C, S extends Scope>(view: View<C, S>, holder: string): Hold<C>
  /**
   * Moves the held informer to `to`, a view of the same resource and projection, while it runs (rule D9). All its
   * cursors stay and receive the difference alone, under the new view: objects that fell out are deleted, objects that came in are changed. When it
   * resolves, `to` is held.
   *
   * Rejects, with nothing changed, if that can't be: `to` is cached already, or can't be read; the informer has another
   * holder; the hold was released.
   *
   * A cache that can't do it leaves it out: then `to` is held in its place.
   */
  moveHold?<C, S extends Scope>(hold: Hold<C>, to: View<C, S>): Promise<void>
}

/** One holder's hold on a view, as {@link WatchedCache.hold} gives it. */
export interface Hold<C> {
  /** The informer of the view; always the same one for all holders. It is not ended while it is held. */
  readonly informer: HeldInformer<C>
  /**
   * Lets go. The last one out removes the informer, unless it was asked for in other ways too. Resolves once that is
   * done (rule D4), or at once where others stay. Begins before it returns; idempotent; never rejects for a view that is gone
   * already.
   */
  release(): Promise<void>
}

/**
 * What a watch manager reads of an informer. `whenSynced` rejects as {@link SharedInformer.whenSynced} does, while the
 * informer goes on trying: a resource that is forbidden, or that the server does not know and that is not to be waited for.
 */
export interface HeldInformer<C>
  extends Pick<SharedInformer<C>, 'state' | 'hasSynced' | 'lastError' | 'whenSynced' | 'cursor'> {
  /** Whether the server does not serve its resource, and the cache waits until it does. @default false */
  readonly isAbsent?: boolean | undefined
  /** With `orAbsent` it also resolves where {@link HeldInformer.isAbsent}. Only an informer that has `isAbsent` is asked so. */
  whenSynced(options?: {
    readonly signal?: AbortSignal | undefined
    readonly orAbsent?: boolean | undefined
  }): Promise<void>
}
