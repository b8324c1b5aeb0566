import { remember } from '../objects/remember.ts'
import type { Cause } from '../sources/cause.ts'

/** A write of a run of this process. */
export interface RunWrite {
  /** The controller and the key of the write. */
  readonly by: string
  /** The length of the chain of writes that ends with this write, each the only cause of the run of the next. 1: the run had another cause. */
  depth: number
}

/** The causes of a key's next run, combined since its last run began. */
export interface Drive {
  /** The least depth of the writes that are known causes. 0: a cause was not written by a run of this process. */
  readonly depth: number
  /** Whether one of the causes is a write of another key. */
  readonly isOthers: boolean
  /** Causes that may be writes of this process: an event can arrive before the answer to its write. */
  readonly unanswered: readonly string[]
}

/** The drive of a key with a cause that no run of this process has written. */
export const outside: Drive = { depth: 0, isOthers: false, unanswered: [] }

/** The maximum number of writes that are remembered. */
const mostWrites = 2000
/** The maximum number of causes of a key that wait for an answer. */
const mostUnanswered = 8

/**
 * Measures how far the runs of a process cause each other. A run of depth 0 has a cause from outside: a user, another process, a clock. A run of depth 3
 * has no other cause than writes of runs of depth 2. Normal work ends after a few such steps; a loop does not.
 */
export class Causality {
  /** By the object's key and its resourceVersion, the oldest first. */
  readonly #writes = new Map<string, RunWrite>()
  /** By object, the resourceVersion that this process wrote last. */
  readonly #last = new Map<string, string>()

  /** Whether a run of this process is known to have written an object. @param object its resource and key */
  knows(object: string): boolean {
    return this.#last.has(object)
  }

  /** Records that a run wrote an object. Returns `undefined` if the write changed nothing. @param object its resource and key @param key `namespace/name` */
  wrote(object: string, key: string, version: string, by: string, depth: number): RunWrite | undefined {
    if (this.#last.get(object) === version) return undefined
    remember(this.#last, object, version, mostWrites)
    return this.#note(`${key} ${version}`, by, depth)
  }

  /** Records that a run deleted an object. */
  deleted(key: string, by: string, depth: number): RunWrite {
    return this.#note(`${key} ${gone}`, by, depth)
  }

  /** Adds a cause of a key's next run. @param by the controller and the key */
  drive(before: Drive | undefined, cause: Cause, by: string): Drive | undefined {
    // A retry, or a run that the key has asked for, adds no cause.
    if (before === outside || cause.change === 'retry' || cause.change === 'due') return before
    const id = idOf(cause)
    if (id === undefined) return outside
    const write = this.#writes.get(id)
    const { depth, isOthers, unanswered } = before ?? { ...outside, depth: Number.POSITIVE_INFINITY }
    if (write !== undefined) {
      return { depth: Math.min(depth, write.depth), isOthers: isOthers || write.by !== by, unanswered }
    }
    return unanswered.length === mostUnanswered ? outside : { depth, isOthers, unanswered: [...unanswered, id] }
  }

  /** The drive with the unanswered causes resolved: the answers to the writes are known now. */
  answered(drive: Drive | undefined, by: string): Omit<Drive, 'unanswered'> {
    if (drive === undefined) return outside
    let { depth, isOthers } = drive
    for (const id of drive.unanswered) {
      const write = this.#writes.get(id)
      if (write === undefined) return outside
      depth = Math.min(depth, write.depth)
      isOthers ||= write.by !== by
    }
    return { depth, isOthers }
  }

  /** Whether a run of this process has written the state that is the cause. */
  isOwn(cause: Cause): boolean {
    const id = idOf(cause)
    return id !== undefined && this.#writes.has(id)
  }

  #note(id: string, by: string, depth: number): RunWrite {
    const write = { by, depth }
    remember(this.#writes, id, write, mostWrites)
    return write
  }
}

const gone = 'deleted'

function idOf({ change, object, to }: Cause): string | undefined {
  if (object === undefined || change === 'initial') return undefined
  if (change === 'deleted' || change === 'vanished') return `${object} ${gone}`
  return to === undefined ? undefined : `${object} ${to}`
}
