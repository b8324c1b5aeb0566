import type { Client, View } from '@wherry/client'
import type { DynamicCache } from '@wherry/dynamic-cache'
import type { NarrowCache } from '@wherry/narrow-cache'
import type { ReadCause } from './cause.ts'
import type { Dependency } from './dependency.ts'
import type { TrackedReadsReport } from './report.ts'
import type { Run } from './run.ts'

/** How objects of a resource are read that can't be watched (rule C16). */
export interface PollPolicy {
  /** A view of a resource stands for all of it. */
  readonly resource: View
  /** The server is asked for each such object so often, in milliseconds. At least 1,000. */
  readonly pollMs: number
}

/** What tracked reads are made of. */
export interface TrackedReadsOptions {
  readonly client: Client
  /** Serves what an informer of it covers. */
  readonly cache: DynamicCache
  /** Serves the other objects. */
  readonly narrow: NarrowCache
  /** The views that the controller declared, which something else keeps cached: what can be listed. */
  readonly declared: readonly View[]
  /** A key is to run again. Called synchronously, at once; must not throw. Telling it more than once does no harm. */
  readonly onChange: (key: string, cause: ReadCause) => void
  /** What is polled where it can't be watched. @default nothing: reading it is an error */
  readonly poll?: readonly PollPolicy[] | undefined
  /** Holds informers under that name while reads depend on them. @default 'reads' */
  readonly name?: string | undefined
}

/**
 * The tracked reads of one controller: which key depends on what, and what is watched for it (rules C11–C17).
 *
 * A key's runs are told one after the other: {@link TrackedReads.begin}, then its `succeed` or `fail`.
 *
 * To read what this process wrote (rule C10), have writes tell of themselves: `writesThrough(client, narrow, reads)`.
 */
export class TrackedReads {
  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: TrackedReadsOptions) {
    void options
  }

  /**
   * A run of `key` begins, whose reads are to be tracked. `primary`: the object that it is about; `signal`: bounds all its
   * reads.
   */
  begin(_key: string, _primary: { readonly namespace?: string | undefined }, _signal?: AbortSignal): Run {
    throw new Error('tracked reads are not there yet')
  }

  /** A key is no more: it depends on nothing from now on. A run of it that is under way is ended. */
  forget(_key: string): void {}

  /** What a key depends on. */
  dependencies(_key: string): readonly Dependency[] {
    return []
  }

  /** Whether something that is depended on is known to be older than what the server has, so that keys may run soon. */
  get catchingUp(): boolean {
    return false
  }

  /** Resolves when nothing of it is catching up. */
  whenQuiet(): Promise<void> {
    return Promise.resolve()
  }

  /** Says that an object was written, and what the server answered: later reads are at least as new (rule C10). */
  wrote(_view: View, _answer: object): void {}

  /** Says that an object was deleted: later reads do not give it any more (rule C10). */
  deleted(_view: View, _key: { readonly name: string; readonly namespace?: string }, _uid?: string): void {}

  report(): TrackedReadsReport {
    return { keys: 0, dependencies: 0, objects: 0, polled: 0, selections: 0 }
  }

  /** Ends all: nothing is watched, no key is told of. Idempotent. Resolves when all is closed. */
  close(): Promise<void> {
    return Promise.resolve()
  }
}
