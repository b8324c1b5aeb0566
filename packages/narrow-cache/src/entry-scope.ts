import { type Environment, InvalidObjectError, type ReadTarget, resourceName, type View } from '@wherry/client'
import { PlainStore, type Store } from '@wherry/informer'
import { type ReflectorSettings, settingsOf } from '@wherry/informer/parts'
import type { CacheContext } from './cache-context.ts'

/** A state of one object: the object, or its absence. */
export interface Known {
  readonly object: object | undefined
  readonly bytes: number
  /** The resourceVersion of the list, of the object, or of its deletion: how new the state is. */
  readonly resourceVersion: string | undefined
}

/** One metadata watch that may feed many entries. */
export interface Validator {
  readonly lastError: Error | undefined
  /** The resourceVersion up to which everything was told. */
  readonly heard: string | undefined
}

/** How long a watch is asked to last, in seconds: many short ones would make requests all the time (rule N11). */
export const timeoutSeconds: { readonly min: number; readonly max: number } = { min: 1800, max: 3600 }

/** The state that all entries of one view share. */
export abstract class ViewScope {
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

  /** The server counts anew. `source`: the entry or watch that showed it, which goes on. */
  abstract rollBack(source: unknown): void
}

/** The state that the entries of one namespace share besides. */
export interface EntryScope {
  readonly of: ViewScope
  /** The watch of all namespaces, and that of this one. */
  readonly validators: readonly Validator[]
  /** A watch of many will feed the entries soon, or does. */
  readonly isComing: boolean
  /** The request that reads one object. */
  target(name: string): ReadTarget
}
