import type { CopyCounts } from './meter.ts'

/** What a copy reconciler does at present. */
export interface CopyReport extends CopyCounts {
  readonly name: string
  readonly state: 'idle' | 'syncing' | 'running' | 'closed'
  readonly sources: number
  /** Copies that the cache shows. */
  readonly copies: number
  /** Work that waits for its turn. */
  readonly queued: number
  /** Work that waits for its time: after a failure, or damped. */
  readonly waiting: number
  readonly running: number
  /** What failed when it was tried last, with the error: keys of copies, of sources and of namespaces. */
  readonly failing: ReadonlyMap<string, Error>
  /** Copies that somebody else keeps changing. */
  readonly flapping: readonly string[]
}
