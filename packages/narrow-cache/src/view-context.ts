import type { View } from '@wherry/client'
import { resourceName } from '@wherry/client/internal'
import { Store } from '@wherry/informer'
import type { CacheContext } from './cache-context.ts'

/** The state that all entries of a view share. */
export abstract class ViewContext {
  readonly shared: CacheContext
  readonly view: View
  /** Has the objects of all entries, and one journal. */
  readonly store: Store<unknown>
  /** `group/version/plural` */
  readonly resource: string
  /** How often the server's revisions were found to start over. */
  epoch = 0
  /** The server refused to list an object of the view twice, and none was listed since. */
  isRefused = false

  constructor(view: View, shared: CacheContext) {
    this.shared = shared
    this.view = view
    this.resource = resourceName(view.resource)
    this.store = new Store<unknown>({ view, environment: shared.environment, freeze: shared.settings.freeze })
    // Synced from the start: a cursor reads the objects there are, and then that it has synced, however few entries there are.
    this.store.writer().replace().commit()
  }

  /** The server's revisions start over: no state counts until it is read again. `source`: the entry or watch that showed it, which goes on. */
  abstract rollBack(source: unknown): void

  /** Has watches of metadata take over where there are many entries, and end where there are few. */
  abstract balance(): void
}
