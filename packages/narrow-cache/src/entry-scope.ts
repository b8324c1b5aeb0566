import type { Environment, ReadTarget, View } from '@wherry/client'
import type { ReflectorSettings } from '@wherry/informer/parts'
import type { CacheContext } from './cache-context.ts'
import type { Level } from './level.ts'

/** What was known when the server was asked for its newest state. The answer is not older, unless the server counts anew (rule R5). */
export interface Asked {
  /** How far the state had come, and each source of it. */
  readonly reached: readonly (string | undefined)[]
  readonly epoch: number
  /** The notes that the answer settles. */
  readonly notes: number
  /** When it was asked, in the order of {@link CacheContext.next}. */
  readonly at: number
}

/** One metadata watch that may feed many entries. */
export interface Validator {
  /** It tells what changes of all entries that it feeds. */
  readonly isLive: boolean
  /** It feeds all that come, or soon will. */
  readonly isUp: boolean
  /** An entry that comes may wait for it. */
  readonly isComing: boolean
  readonly isWide: boolean
  readonly lastError: Error | undefined
  readonly heard: string | undefined
  joined(): void
  left(): void
}

/** What the entries of one resource in one namespace share. */
export interface EntryScope {
  readonly shared: CacheContext
  /** `group/version/plural` */
  readonly resource: string
  readonly view: View
  /** For reflectors: the entry tells what fails, with its key. */
  readonly environment: Environment
  /** Of the entries' own watches. */
  readonly settings: ReflectorSettings
  /** How often the resource's server was found to count anew. */
  readonly epoch: number
  /** The watch of all namespaces, and that of this one. */
  readonly validators: readonly Validator[]
  /** What to read for one object. */
  target(level: Level, name: string): ReadTarget
  /** The server counts anew. `source`: the entry or validator whose watch showed it, which goes on. */
  rollBack(source: unknown): void
}
