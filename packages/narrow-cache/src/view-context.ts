import { type Environment, InvalidObjectError, resourceName, type View } from '@wherry/client'
import { PlainStore, type Store } from '@wherry/informer'
import { type ReflectorSettings, settingsOf } from '@wherry/informer/parts'
import type { CacheContext } from './cache-context.ts'

/** How long a watch is asked to last, in seconds: many short ones would make requests all the time (rule N11). */
const timeoutSeconds = { min: 1800, max: 3600 }

/** The state that all entries of a view share. */
export abstract class ViewContext {
  readonly shared: CacheContext
  readonly view: View
  /** Has the objects of all entries, and one journal. */
  readonly store: Store<unknown>
  /** `group/version/plural` */
  readonly resource: string
  /** For reflectors: the entry tells what fails, with its key. */
  readonly environment: Environment
  /** Of the entries' own watches: the first is a streaming list, and those after it begin with a list, which may be all that is needed. */
  readonly first: ReflectorSettings
  readonly again: ReflectorSettings
  /** How often the server was found to count anew. */
  epoch = 0

  constructor(view: View, shared: CacheContext) {
    const { environment, context, streaming, gate, settings } = shared
    const { freeze, maxObjectBytes } = settings
    this.shared = shared
    this.view = view
    this.store = new PlainStore<unknown>({ view, environment, freeze })
    // Synced from the start: a cursor is told of the objects there are, and then that it has synced, however few entries there are.
    const nothing = this.store.intake()
    nothing.replace().commit()
    nothing.close()
    this.resource = resourceName(view.resource)
    this.environment = {
      ...environment,
      random: () => environment.random(),
      onError: (error, context) => {
        const isOfEntry = context.phase === 'list' || context.phase === 'watch'
        if (!isOfEntry || error instanceof InvalidObjectError) environment.onError(error, context)
      },
    }
    const client = { context, environment: this.environment }
    this.first = settingsOf({ client, firstList: 'newest', streaming, gate, timeoutSeconds, maxObjectBytes })
    this.again = { ...this.first, initial: 'whole' }
  }

  /** The server counts anew: no state counts until it is read again. `source`: the entry or watch that showed it, which goes on. */
  abstract rollBack(source: unknown): void

  /** Has watches of metadata take over where there are many entries, and end where there are few. */
  abstract balance(): void
}
