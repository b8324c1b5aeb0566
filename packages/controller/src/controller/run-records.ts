import { abortSignal, checkOptions } from '@wherry/client/internal'
import type { Loop } from '../loops/loop.ts'
import type { LastRun, Outcome } from './key-state.ts'

/** A run that has ended: its key, its cause, and its outcome. */
export interface RunRecord extends LastRun {
  /** The name of the controller. */
  readonly controller: string
  /** `namespace/name` of the primary object. */
  readonly key: string
  readonly tookMs: number
  readonly outcome: Outcome
  /** The loop that the run belongs to, if its key does not come to rest. */
  readonly loop: Loop | undefined
  /** The number of runs before this one that the reader missed because it was too slow. */
  readonly missed: number
}

type Result = IteratorResult<RunRecord, undefined>

/** The maximum number of runs that wait for a slow reader; then the oldest is dropped. */
const mostWaiting = 1000

/** A reader of runs. */
class Reader implements AsyncIterableIterator<RunRecord, undefined> {
  readonly #left: (reader: Reader) => void
  #waiting: RunRecord[] = []
  #asked: ((result: Result) => void)[] = []
  #missed = 0
  #isOver = false

  constructor(left: (reader: Reader) => void) {
    this.#left = left
  }

  report(record: RunRecord): void {
    if (this.#waiting.length === mostWaiting) {
      this.#waiting.shift()
      this.#missed += 1
    }
    this.#waiting.push(record)
    this.#answer()
  }

  /** Ends the records. The waiting ones can still be read. */
  end(): void {
    this.#isOver = true
    this.#left(this)
    this.#answer()
  }

  next(): Promise<Result> {
    return new Promise(resolve => {
      this.#asked.push(resolve)
      this.#answer()
    })
  }

  return(): Promise<Result> {
    this.#waiting = []
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #answer(): void {
    while (this.#asked.length > 0 && (this.#waiting.length > 0 || this.#isOver)) {
      const record = this.#waiting.shift()
      const resolve = this.#asked.shift() as (result: Result) => void
      resolve(record === undefined ? { done: true, value: undefined } : { done: false, value: this.#counted(record) })
    }
  }

  #counted(record: RunRecord): RunRecord {
    const missed = this.#missed
    this.#missed = 0
    return missed === 0 ? record : { ...record, missed }
  }
}

/** Delivers the runs of an operator's controllers to their readers. */
export class RunRecords {
  readonly #readers = new Set<Reader>()
  #isOver = false

  /** Whether anybody reads: else no record need be made. */
  get isRead(): boolean {
    return this.#readers.size > 0
  }

  report(record: RunRecord): void {
    for (const reader of this.#readers) reader.report(record)
  }

  /** The runs that end from now on. Ends with the signal. */
  read(options: { readonly signal?: AbortSignal | undefined } = {}): AsyncIterableIterator<RunRecord, undefined> {
    checkOptions('runs', options, { signal: abortSignal })
    const { signal } = options
    const stop = (): void => reader.end()
    const reader = new Reader(one => {
      this.#readers.delete(one)
      signal?.removeEventListener('abort', stop)
    })
    this.#readers.add(reader)
    signal?.addEventListener('abort', stop, { once: true })
    if (this.#isOver || signal?.aborted) reader.end()
    return reader
  }

  /** No further run comes. */
  end(): void {
    this.#isOver = true
    for (const reader of [...this.#readers]) reader.end()
  }
}
