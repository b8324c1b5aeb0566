import type { Scope, View } from '@wherry/client'
import type { SharedInformer } from '@wherry/informer'

/**
 * The cache of a watch manager: it keeps an informer for each view with a hold. The dynamic cache
 * implements it, and any other cache with this contract can be used.
 */
export interface WatchedCache {
  /**
   * Holds `view` for `holder` (a registrar's name, for messages and reports), until the hold is released. Returns at
   * once; requests are sent later.
   *
   * - Holds are counted: one holder may hold a view twice.
   * - The first hold starts the view's informer, unless it exists already. While an informer is being removed, a hold
   *   starts a new one (rule D6).
   * - A held informer can't be removed: an attempt fails with an error that names a holder (rule D4).
   * - A resource that the server does not know (yet), or forbids, is no error here. The informer keeps trying, or waits
   *   until the resource is served, and then starts without another call (rules D7, D8).
   *
   * @throws an error if the view can't be held now: another projection of the same name, a closed cache. The
   * watch manager retries with backoff.
   */
  hold<C, S extends Scope>(view: View<C, S>, holder: string): Hold<C>
  /**
   * Moves the held informer to `to`, a view of the same resource and projection, while it runs (rule D9). All its
   * cursors stay and receive only the differences, under the new view: objects that have left the scope are `deleted`,
   * objects that have entered it are `changed`. When it resolves, `to` is held.
   *
   * Rejects without a change if that is impossible: `to` is cached already, or can't be read; the informer has another
   * holder; the hold was released.
   *
   * Without this method, `to` gets a hold of its own.
   */
  moveHold?<C, S extends Scope>(hold: Hold<C>, to: View<C, S>): Promise<void>
}

/** One holder's hold on a view, from {@link WatchedCache.hold}. */
export interface Hold<C> {
  /** The informer of the view, the same one for all holders. It is not closed while it is held. */
  readonly informer: HeldInformer<C>
  /**
   * Releases the hold. The release of the last hold removes the informer, unless it has other users. Resolves when that is
   * done (rule D4), or at once if other holds remain. The release begins within the call. It is idempotent, and does not
   * reject for a view that was removed already.
   */
  release(): Promise<void>
}

/**
 * The part of an informer that a watch manager needs. `whenSynced` rejects as {@link SharedInformer.whenSynced} does, while the
 * informer keeps trying: for a forbidden resource, or an unknown one that the cache does not wait for.
 */
export interface HeldInformer<C>
  extends Pick<SharedInformer<C>, 'state' | 'hasSynced' | 'lastError' | 'whenSynced' | 'cursor'> {
  /** Whether the server does not serve the resource, and the cache waits until it does. @default false */
  readonly isAbsent?: boolean | undefined
  /** With `orAbsent` it also resolves if {@link HeldInformer.isAbsent} is true. Only informers with `isAbsent` are given this option. */
  whenSynced(options?: {
    readonly signal?: AbortSignal | undefined
    readonly orAbsent?: boolean | undefined
  }): Promise<void>
}
