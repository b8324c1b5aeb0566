import type { Write } from '../apply/applied.ts'
import type { PartDifference } from '../parts/compare-parts.ts'

/**
 * Why a copy was written. `missing`: there was none. `changed`: it was as its source wanted it before. `drift`: it was as nobody
 * here wanted it: edited by hand, or by another program. `found`: it differed when this process first saw it.
 */
export type WriteReason = 'missing' | 'changed' | 'drift' | 'found'

/** A write of a copy. `annotate`: of its hashes alone, with the mode `annotations`. */
export type CopyWrite = Write | 'annotate'

/** What a copy reconciler tells of its work. Keys of copies are `namespace/name`. */
export type CopyEvent =
  | {
      readonly type: 'written'
      readonly key: string
      readonly source: string
      readonly reason: WriteReason
      readonly writes: readonly CopyWrite[]
      /** The parts that differed; with paths where the copy was observed whole. */
      readonly differences: readonly PartDifference[]
    }
  /** The copy was deleted: its source is gone, or its namespace is no target any more. */
  | { readonly type: 'deleted'; readonly key: string }
  /** The copy was not what it was taken for; it is looked at again. */
  | { readonly type: 'conflict'; readonly key: string; readonly error: Error }
  /** Something failed, for so many times in a row; it is tried again. `key` is the copy's, or that of the source or namespace that failed. */
  | {
      readonly type: 'failed'
      readonly key: string
      readonly error: Error
      readonly failures: number
    }
  /** Somebody else keeps changing a copy: repairs wait for ever longer. Told once, until it is at peace again. */
  | {
      readonly type: 'flapping'
      readonly key: string
      readonly source: string
      /** What differs, as far as it did when it was looked at. */
      readonly differences: readonly PartDifference[]
      /** Who else has fields of it that differ; where nobody is noted for those, who else has any. The newest first. */
      readonly managers: readonly string[]
      /** How long the next repair waits, in milliseconds. */
      readonly delayMs: number
    }
