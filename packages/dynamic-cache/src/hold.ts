import type { Scope } from '@wherry/client'
import type { CachedInformer } from './cached-informer.ts'

/** One holder's hold on a view. */
export interface Hold<C, S extends Scope = Scope> {
  /** The informer of the view, the same one for all holders. */
  readonly informer: CachedInformer<C, S>
  /**
   * Releases the hold. The release of the last hold removes the informer, unless `informer` or a read asked for it too, and resolves when that
   * is done; otherwise it resolves at once. Idempotent.
   */
  release(): Promise<void>
}
