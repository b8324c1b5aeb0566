import { ApiError, type Client, OptionTypeError } from '@wherry/client'
import { abortSignal, Backoff, checkOptions, flag, integer, mayPass, oneOf, text } from '@wherry/client/internal'
import { type ContainerState, containerState } from './container-state.ts'
import { LogPlace, timedLine } from './log-place.ts'
import { logStream } from './log-stream.ts'
import { type PodKey, podRequest } from './pod.ts'

/** The options of {@link logs}. `A` is the type of `as`, which decides the type of a line. */
export interface LogOptions<A extends 'text' | 'bytes' = 'text' | 'bytes'> {
  /** The name of the container. The server refuses a call without a name for a pod with several containers. @default the pod's only one */
  readonly container?: string | undefined
  /** Goes on with new lines until the container ends. @default false */
  readonly follow?: boolean | undefined
  /** Leaves out older lines. The server ignores fractions of a second. @default the beginning of the log */
  readonly since?: Date | undefined
  /** How many of the last lines to deliver first; with `follow`, new ones come after them. @default all */
  readonly tail?: number | undefined
  /** Reads the log of the container's former run. @default false */
  readonly previous?: boolean | undefined
  /** Puts the time of each line before it, as the server writes it: `2026-01-01T00:00:00.123456789Z `. @default false */
  readonly timestamps?: boolean | undefined
  /** Whether a line is a string, decoded as UTF-8, or its bytes. @default 'text' */
  readonly as?: A | undefined
  /** The length of the longest line, in bytes. A longer one is a `LineTooLongError`. @default 1_048_576 */
  readonly maxLineBytes?: number | undefined
  /** Ends the request. The iterable throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads the log of a container, line by line. A slow reader slows the server down, so memory is bounded. Leaving the loop ends the request.
 *
 * With `follow`, the call reconnects after a broken connection, with the delays of a watch, and goes on after the last line: as long as the node keeps the
 * log, no line is lost and none comes twice. The loop ends when the container ends, even if the container is then restarted. The call needs the right `get`
 * of `pods/log`; with `follow`, also `get` of `pods`: without it, the loop ends if the server ends the stream early.
 *
 * Throws an `ApiError` if the server refuses, for example while the container is being created, and a `LineTooLongError`.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { logs } from '@wherry/streams'
 *
 * const client = await Client.connect()
 * for await (const line of logs(client, { name: 'db-0', namespace: 'arcade' }, { follow: true, tail: 10 })) console.log(line)
 * ```
 */
export function logs(client: Client, pod: PodKey, options?: LogOptions<'text'>): AsyncGenerator<string, void, undefined>
export function logs(
  client: Client,
  pod: PodKey,
  options: LogOptions<'bytes'>,
): AsyncGenerator<Uint8Array, void, undefined>
export function logs(
  client: Client,
  pod: PodKey,
  options: LogOptions = {},
): AsyncGenerator<string | Uint8Array, void, undefined> {
  checkOptions('logs', options, {
    container: text,
    follow: flag,
    since: date,
    tail: integer(),
    previous: flag,
    timestamps: flag,
    as: oneOf('text', 'bytes'),
    maxLineBytes: integer(1),
    signal: abortSignal,
  })
  // A wrong key is an error of the call, not of the loop.
  podRequest(client, pod, 'log', {})
  return new LogReader(client, pod, options).lines()
}

function date(option: string, value: unknown): void {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return
  throw new OptionTypeError(option, 'a valid Date', typeof value)
}

type Batches = AsyncGenerator<readonly string[], void, undefined>

class LogReader {
  readonly #client: Client
  readonly #pod: PodKey
  readonly #options: LogOptions
  readonly #signal: AbortSignal
  readonly #place = new LogPlace()
  readonly #backoff: Backoff

  constructor(client: Client, pod: PodKey, options: LogOptions) {
    this.#client = client
    this.#pod = pod
    this.#options = options
    this.#signal = options.signal ?? new AbortController().signal
    this.#backoff = new Backoff(client.environment)
  }

  async *lines(): AsyncGenerator<string | Uint8Array, void, undefined> {
    const isText = this.#options.as !== 'bytes'
    // Batches, since passing each line through several generators takes longer than all other work.
    for await (const batch of this.#batches()) {
      for (const line of batch) {
        this.#signal.throwIfAborted()
        yield isText ? line : Buffer.from(line, 'latin1')
      }
    }
  }

  async *#batches(): Batches {
    const { follow = false, previous = false } = this.#options
    if (!follow) return yield* this.#read({ follow, previous })
    const first = await this.#state()
    let hasRead = false
    for (;;) {
      let now: ContainerState | 'unknown' | undefined
      try {
        yield* this.#read({ follow, previous })
        hasRead = true
        now = await this.#state()
      } catch (error) {
        if (!hasRead && this.#place.since === undefined) throw error
        if (!mayPass(error)) throw error
        await this.#backoff.wait(this.#signal, error instanceof ApiError ? error.retryAfterMs : 0)
        continue
      }
      if (now === 'unknown' || now === undefined) return
      if (isOther(first, now)) return yield* this.#rest()
      if (!now.isRunning) return
      await this.#backoff.wait(this.#signal)
    }
  }

  /** Reads the log of the former run: after a restart, the last lines may be nowhere else. */
  async *#rest(): Batches {
    try {
      yield* this.#read({ follow: false, previous: true })
    } catch (error) {
      // The node has deleted that log.
      if (!(error instanceof ApiError)) throw error
    }
  }

  async *#read(how: { readonly follow: boolean; readonly previous: boolean }): Batches {
    const { container, since, tail, timestamps = false, maxLineBytes = 1024 * 1024 } = this.#options
    // After a broken connection, a line without a time could not be found again.
    const isTimed = this.#options.follow === true
    const at = this.#place.since
    const request = podRequest(this.#client, this.#pod, 'log', {
      container,
      follow: how.follow || undefined,
      previous: how.previous || undefined,
      timestamps: isTimed || timestamps || undefined,
      sinceTime: at ?? since?.toISOString(),
      tailLines: at === undefined ? tail : undefined,
    })
    this.#place.seek()
    const encoding = this.#options.as === 'bytes' ? 'latin1' : 'utf8'
    const cut = { encoding, maxBytes: maxLineBytes, isTimed: isTimed || timestamps } as const
    for await (const lines of logStream(this.#client, request, cut, this.#signal)) {
      yield isTimed ? this.#newOf(lines) : lines
    }
  }

  /** Returns the lines that were not delivered yet, in the form that the reader wants. */
  #newOf(lines: readonly string[]): string[] {
    const shown: string[] = []
    for (const line of lines) {
      const timed = timedLine(line)
      if (this.#place.isNew(timed)) shown.push(this.#options.timestamps === true ? line : line.slice(timed.timeLength))
    }
    return shown
  }

  #state(): Promise<ContainerState | 'unknown' | undefined> {
    return containerState(this.#client, this.#pod, this.#options.container, this.#signal)
  }
}

function isOther(first: ContainerState | 'unknown' | undefined, now: ContainerState): boolean {
  return typeof first === 'object' && first.id !== undefined && now.id !== undefined && first.id !== now.id
}
