import type { Environment, ReadTarget, View } from '@wherry/client'
import type { Store } from '@wherry/informer'
import type { ReflectorSettings } from '@wherry/informer/parts'
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

/** The state that all entries of one view share. */
export interface ViewScope {
  readonly shared: CacheContext
  readonly view: View
  readonly store: Store<unknown>
  /** `group/version/plural` */
  readonly resource: string
  /** For reflectors: the entry tells what fails, with its key. */
  readonly environment: Environment
  /** Of the entries' own watches: the first is a streaming list, and those after it begin with a list, which may be all that is needed. */
  readonly first: ReflectorSettings
  readonly again: ReflectorSettings
  /** How often the server was found to count anew. */
  readonly epoch: number
  /** The server counts anew. `source`: the entry or watch that showed it, which goes on. */
  rollBack(source: unknown): void
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
