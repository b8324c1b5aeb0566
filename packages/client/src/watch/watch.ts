import { InvalidBodyError, LineTooLongError } from '../bytes/bounds.ts'
import { LineCutter } from '../bytes/lines.ts'
import { type ReadContext, type Reading, readPieces } from '../bytes/read.ts'
import { ApiError, errorOfStatus } from '../errors/api-error.ts'
import type { RequestInfo } from '../errors/request-info.ts'
import { TimeoutError } from '../errors/timeout.ts'
import { InvalidObjectError } from '../list/object.ts'
import type { ReadTarget } from '../list/target.ts'
import type { WatchEnd } from './end.ts'
import { type ChangeType, readWatchLine } from './line.ts'
import { randomTimeoutSeconds, type WatchStart, watchQuery } from './query.ts'

/** What a watch takes from a client, besides what any reading takes. */
export interface WatchContext extends ReadContext {
  readonly environment: ReadContext['environment'] & { random(): number }
}

/** Hears one watch: `opened` at most once, then lines in the order of the stream, then `end` once. */
export interface WatchHandlers {
  /** The server has accepted the watch. */
  opened?(): void
  /** `length`: the characters of its line. */
  event(type: ChangeType, object: object, length: number): void
  /**
   * A bookmark: the stream has shown everything up to `resourceVersion`. `initialEventsEnd`: it is the
   * one that ends the initial events (a server may send it unasked).
   */
  bookmark(resourceVersion: string, initialEventsEnd: boolean): void
  /** A line that is no event of this resource was left out (rule R20). */
  skipped?(error: InvalidObjectError): void
  /** The server is going away; this watch goes on for now. Best opened anew before it ends. */
  draining?(): void
  /** It is over; nothing is called after this. */
  end(end: WatchEnd): void
}

export interface WatchOptions {
  /**
   * How long the server is asked to keep the watch open, in seconds. 30 s later it is ended from this side.
   * @default at random between 290 and 590
   */
  readonly timeoutSeconds?: number | undefined
  /** Ask for gzip where a server compresses a watch: a streaming list. @default false */
  readonly gzip?: boolean | undefined
  /** Longest line, in bytes after decompression. @default 16 MiB */
  readonly maxLineBytes?: number | undefined
}

/** A watch under way. */
export interface Watch {
  readonly timeoutSeconds: number
  /** When bytes last came, or the watch was begun, on the monotonic clock. */
  readonly lastReceivedAt: number
  /** Stops handing on events, and holds the server back. */
  hold(): void
  release(): void
  /** Ends it. No handler is called from now on, `end` neither. Harmless when it is over. */
  abort(): void
}

/** How much longer than it was asked for a watch may live, in seconds (rule R21). */
const graceSeconds = 30

/**
 * Opens one watch: one request, and its events to `on` as they arrive, without a promise for each.
 * It does not reconnect: `end` says how it ended, once.
 */
export function openWatch(
  context: WatchContext,
  target: ReadTarget,
  start: WatchStart,
  on: WatchHandlers,
  options: WatchOptions = {},
): Watch {
  return new OneWatch(context, target, start, on, options)
}

class OneWatch implements Watch {
  readonly timeoutSeconds: number
  lastReceivedAt: number
  readonly #target: ReadTarget
  readonly #about: RequestInfo
  readonly #kinds: readonly string[]
  readonly #on: WatchHandlers
  readonly #lines: LineCutter
  readonly #reading: Reading
  readonly #timer: { cancel(): void }
  #over = false

  constructor(context: WatchContext, target: ReadTarget, start: WatchStart, on: WatchHandlers, options: WatchOptions) {
    const { clock, random } = { clock: context.environment.clock, random: () => context.environment.random() }
    this.timeoutSeconds = options.timeoutSeconds ?? randomTimeoutSeconds(random)
    this.lastReceivedAt = clock.monotonic()
    this.#target = target
    this.#about = { method: 'GET', path: target.path, resource: target.resource, sensitive: target.sensitive }
    // an aggregated API that knows no metadata form answers with the whole
    this.#kinds = target.metadata ? ['PartialObjectMetadata', target.type.kind] : [target.type.kind]
    this.#on = on
    this.#lines = new LineCutter(options.maxLineBytes)
    const request = {
      path: target.path + watchQuery(target.selection, start, this.timeoutSeconds),
      accept: target.watchAccept,
      lane: 'stream',
      gzip: options.gzip === true && start.initialEvents === true,
    } as const
    this.#reading = readPieces(context, request, this.#about, this.#lines, {
      opened: () => on.opened?.(),
      received: () => {
        this.lastReceivedAt = clock.monotonic()
      },
      draining: () => on.draining?.(),
      piece: line => this.#line(line),
      end: () => this.#closed(),
      error: cause => this.#broken(cause),
    })
    const lifeMs = (this.timeoutSeconds + graceSeconds) * 1000
    this.#timer = clock.timer(lifeMs, () => this.#end(broken(new TimeoutError(lifeMs, this.#about), false)))
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
    this.#timer.cancel()
    this.#reading.abort()
  }

  #end(end: WatchEnd): void {
    if (this.#over) return
    this.abort()
    this.#on.end(end)
  }

  #line(text: string): void {
    const line = readWatchLine(text, this.#kinds, this.#target.exact, this.#target.lean)
    switch (line.is) {
      case 'change':
        return this.#tell(() => this.#on.event(line.type, line.object, text.length))
      case 'bookmark':
        return this.#tell(() => this.#on.bookmark(line.resourceVersion, line.initialEventsEnd))
      case 'stray':
        return this.#tell(() => this.#on.skipped?.(new InvalidObjectError(this.#target.resource, line.why)))
      case 'error':
        return this.#end({ how: 'failed', error: errorOfStatus(line.status, this.#about) })
      case 'garbage':
        return this.#end({
          how: 'unreadable',
          error: new InvalidBodyError('a line of the watch is no event', this.#about),
        })
    }
  }

  #tell(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#end({ how: 'threw', error })
    }
  }

  /** After a clean end a last line without a newline is a line like any other. */
  #closed(): void {
    const last = this.#lines.rest()
    if (last !== undefined) this.#line(last)
    this.#end({ how: 'closed' })
  }

  #broken(cause: Error): void {
    if (cause instanceof ApiError) this.#end({ how: 'refused', error: cause })
    else if (cause instanceof InvalidBodyError || cause instanceof LineTooLongError) {
      this.#end({ how: 'unreadable', error: cause })
    } else this.#end(broken(cause, this.#lines.rest() !== undefined))
  }
}

function broken(error: Error, partialLine: boolean): WatchEnd {
  return { how: 'broken', error, partialLine }
}
