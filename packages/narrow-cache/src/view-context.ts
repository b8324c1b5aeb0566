import type { View } from '@wherry/client'
import { resourceName } from '@wherry/client/internal'
import { Store } from '@wherry/informer'
import type { CacheContext } from './cache-context.ts'

/** The state that all entries of a view share. */
export abstract class ViewContext {
  readonly shared: CacheContext
  readonly view: View
  /** The store of the objects of all entries, with one journal. */
  readonly store: Store<unknown>
  /** `group/version/plural` */
  readonly resource: string
  /** How often all known states became invalid, because the server's revisions started over, or by `relist`. */
  epoch = 0
  /** Whether the server refused to list an object of the view twice, and no object was listed since. */
  isRefused = false

  constructor(view: View, shared: CacheContext) {
    this.shared = shared
    this.view = view
    this.resource = resourceName(view.resource)
    this.store = new Store<unknown>({ view, environment: shared.environment, freeze: shared.settings.freeze })
    // The store is synced from the start: a cursor reads the existing objects, and then `synced`, even without entries.
    this.store.writer().replace().commit()
  }

  /**
   * Handles a restart of the server's revisions: no state counts until it is read again.
   * @param source the entry or watch that has found the restart, and continues
   */
  abstract rollBack(source: unknown): void

  /** Opens metadata watches where there are many entries, and ends them where there are few. */
  abstract balance(): void
}
