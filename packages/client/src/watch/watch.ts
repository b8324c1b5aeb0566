import { InvalidBodyError, LineTooLongError, located } from '../bytes/bounds.ts'
import { LineCutter } from '../bytes/lines.ts'
import { type ReadContext, type ReadHandlers, type Reading, readPieces } from '../bytes/read.ts'
import { type Bounded, Deadlines } from '../deadlines.ts'
import { ApiError } from '../errors/api-error.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import { errorOfStatus } from '../errors/error-of-answer.ts'
import { TimeoutError } from '../errors/timeout.ts'
import { aboutList } from '../list/items.ts'
import { InvalidObjectError } from '../list/object.ts'
import type { ReadTarget } from '../list/target.ts'
import type { AbsenceProof } from './absence-proof.ts'
import type { WatchEnd } from './end.ts'
import { type ChangeType, readWatchLine, type WatchLine } from './line.ts'
import { randomTimeoutSeconds, type WatchStart, watchQuery } from './query.ts'

/** The parts of a client that a watch needs. */
export interface WatchContext extends ReadContext {
  readonly environment: ReadContext['environment'] & { random(): number }
  /** Proves that the server does not serve a resource. @default there is no proof */
  readonly absence?: AbsenceProof | undefined
  /** Ends watches that last too long. @default a timer for each */
  readonly deadlines?: Pick<Deadlines, 'add' | 'remove'> | undefined
}

/** The callbacks of one watch: `opened` at most once, then lines in the order of the stream, then `end` once. */
export interface WatchHandlers {
  /** The server has accepted the watch. */
  opened?(): void
  /** `length`: the characters of its line. */
  event(type: ChangeType, object: object, length: number): void
  /**
   * Receives a bookmark: the stream has delivered all events up to `resourceVersion`. `initialEventsEnd`: it ends the initial events (a server may send it
   * unasked).
   */
  bookmark(resourceVersion: string, initialEventsEnd: boolean): void
  /** A line that is not an event of this resource was skipped (rule R20). */
  skipped?(error: InvalidObjectError): void
  /** Called when the server is shutting down. This watch goes on for now: open a new one before it ends. */
  draining?(): void
  /** The watch is over; no callback is called after this. */
  end(end: WatchEnd): void
}

/** The options of a watch. */
export interface WatchOptions {
  /** Ends the watch, as `abort` does. */
  readonly signal?: AbortSignal | undefined
  /** The maximum duration of the watch, in milliseconds, if it is shorter than the default. @default 30 s longer than `timeoutSeconds` */
  readonly timeoutMs?: number | undefined
  /**
   * How long the server is asked to keep the watch open, in seconds. The client ends the watch 30 s later.
   * @default at random between 290 and 590
   */
  readonly timeoutSeconds?: number | undefined
  /** Whether to ask for gzip, with which a server compresses streaming lists. @default false */
  readonly gzip?: boolean | undefined
  /** Longest line, in bytes after decompression. @default 16 MiB */
  readonly maxLineBytes?: number | undefined
}

/** A running watch. */
export interface Watch {
  readonly timeoutSeconds: number
  /** When bytes last came, or the watch was begun, on the monotonic clock. */
  readonly lastReceivedAt: number
  /** Pauses the events, and holds the server back. */
  hold(): void
  release(): void
  /** Ends the watch. No callback is called after it, not even `end`. Does nothing if the watch is over. */
  abort(): void
}

/** How much longer than the requested time a watch may last, in seconds (rule R21). */
const graceSeconds = 30

/** Opens one watch: one request that delivers its events to `on` as they arrive, without a promise for each. It does not reconnect. */
export function openWatch(
  context: WatchContext,
  target: ReadTarget,
  start: WatchStart,
  on: WatchHandlers,
  options: WatchOptions = {},
): Watch {
  return new OneWatch(context, target, start, on, options)
}

class OneWatch implements Watch, ReadHandlers<string>, Bounded {
  readonly timeoutSeconds: number
  lastReceivedAt: number
  readonly deadlineAt: number
  readonly #lifeMs: number
  readonly #deadlines: Pick<Deadlines, 'add' | 'remove'>
  readonly #context: WatchContext
  readonly #target: ReadTarget
  readonly #on: WatchHandlers
  readonly #lines: LineCutter
  readonly #reading: Reading
  readonly #leave: (() => void) | undefined
  #over = false

  constructor(context: WatchContext, target: ReadTarget, start: WatchStart, on: WatchHandlers, options: WatchOptions) {
    const { clock } = context.environment
    this.timeoutSeconds = options.timeoutSeconds ?? randomTimeoutSeconds(() => context.environment.random())
    this.lastReceivedAt = clock.monotonic()
    this.#context = context
    this.#target = target
    this.#on = on
    this.#lines = new LineCutter(options.maxLineBytes)
    const request = {
      path: target.path + watchQuery(target.selection, start, this.timeoutSeconds),
      accept: target.watchAccept,
      lane: 'stream',
      gzip: options.gzip === true && start.initialEvents === true,
    } as const
    this.#reading = readPieces(context, request, aboutList(target), this.#lines, this)
    this.#lifeMs = Math.min(options.timeoutMs ?? Number.POSITIVE_INFINITY, (this.timeoutSeconds + graceSeconds) * 1000)
    this.deadlineAt = this.lastReceivedAt + this.#lifeMs
    this.#deadlines = context.deadlines ?? new Deadlines(clock)
    this.#deadlines.add(this)
    if (options.signal !== undefined) this.#leave = this.#endWith(options.signal)
  }

  late(): void {
    this.#end(broken(new TimeoutError(this.#lifeMs, aboutList(this.#target)), false))
  }

  hold(): void {
    this.#reading.hold()
  }

  release(): void {
    this.#reading.release()
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.#deadlines.remove(this)
    this.#leave?.()
    this.#reading.abort()
  }

  // Handlers of the reading

  opened(): void {
    this.#call(() => this.#on.opened?.())
  }

  received(): void {
    this.lastReceivedAt = this.#context.environment.clock.monotonic()
  }

  draining(): void {
    this.#call(() => this.#on.draining?.())
  }

  piece(text: string): void {
    this.#read(readWatchLine(text, this.#target, true), text.length)
  }

  /** Delivers a line. If a handler throws, the watch ends. This runs for each line, so it creates no closure. */
  #read(line: WatchLine, length: number): void {
    try {
      this.#deliver(line, length)
    } catch (error) {
      this.#end({ how: 'threw', error })
    }
  }

  #call(handler: () => void): void {
    try {
      handler()
    } catch (error) {
      this.#end({ how: 'threw', error })
    }
  }

  #deliver(line: WatchLine, length: number): void {
    switch (line.is) {
      case 'change':
        return this.#on.event(line.type, line.object, length)
      case 'bookmark':
        return this.#on.bookmark(line.resourceVersion, line.initialEventsEnd)
      case 'other':
        return
      case 'stray':
        return this.#on.skipped?.(new InvalidObjectError(this.#target.resource, line.why))
      case 'error':
        return this.#end({
          how: 'failed',
          error: errorOfStatus(line.status, aboutList(this.#target), { redact: this.#context.redact }),
        })
      case 'garbage':
        return this.#end({
          how: 'unreadable',
          error: new InvalidBodyError('a line of the watch is no event', aboutList(this.#target)),
        })
    }
  }

  /** Handles the end of the stream. A last line without a newline counts if it is complete; a part of a line is dropped, as after a break. */
  end(): void {
    const last = this.#lines.rest()
    if (last === undefined) return this.#end({ how: 'closed' })
    const line = readWatchLine(last, this.#target, false)
    if (line.is === 'garbage') {
      const { method, path } = aboutList(this.#target)
      const error = new ConnectionError('CONNECTION_LOST', `${method} ${path}: the watch ended in the midst of a line`)
      return this.#end(broken(error, true))
    }
    this.#read(line, last.length)
    this.#end({ how: 'closed' })
  }

  error(cause: Error): void {
    const error = located(cause, aboutList(this.#target))
    if (error instanceof ApiError) this.#end({ how: 'refused', error })
    else if (error instanceof InvalidBodyError || error instanceof LineTooLongError) {
      this.#end({ how: 'unreadable', error })
    } else this.#end(broken(error, this.#lines.rest() !== undefined))
  }

  /** Ends the watch when the signal is aborted. Returns a function that removes the listener. */
  #endWith(signal: AbortSignal): () => void {
    const aborted = (): void => this.abort()
    signal.addEventListener('abort', aborted, { once: true })
    if (signal.aborted) aborted()
    return () => signal.removeEventListener('abort', aborted)
  }

  #end(end: WatchEnd): void {
    if (this.#over) return
    this.abort()
    this.#on.end(end)
  }
}

function broken(error: Error, partialLine: boolean): WatchEnd {
  return { how: 'broken', error, partialLine }
}
