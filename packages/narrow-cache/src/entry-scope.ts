import type { Environment, ReadTarget, View } from '@wherry/client'
import type { ReflectorSettings } from '@wherry/informer/parts'
import type { CacheContext } from './cache-context.ts'
import type { Level } from './level.ts'

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

/** What all entries of one resource and selectors share. */
export interface ResourceScope {
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
  /** The server counts anew. `source`: the entry or validator whose watch showed it, which goes on. */
  rollBack(source: unknown): void
}

/** What those in one namespace share besides. */
export interface EntryScope {
  readonly of: ResourceScope
  /** The watch of all namespaces, and that of this one. */
  readonly validators: readonly Validator[]
  /** What to read for one object. */
  target(level: Level, name: string): ReadTarget
}
