import type { Scope } from '@wherry/client'
import type { CachedInformer } from './cached-informer.ts'

/** One holder's hold on a view. */
export interface Hold<C, S extends Scope = Scope> {
  /** The informer of the view, the same one for all holders. */
  readonly informer: CachedInformer<C, S>
  /**
   * Lets go. The last one out removes the informer, unless it was asked for in other ways too; then it resolves when that
   * is done, otherwise at once. Idempotent.
   */
  release(): Promise<void>
}
