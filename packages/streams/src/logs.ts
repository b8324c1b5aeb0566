import { ApiError, type Client, OptionTypeError } from '@wherry/client'
import {
  abortSignal,
  Backoff,
  checkOptions,
  flag,
  integer,
  LineTooLongError,
  mayPass,
  oneOf,
  text,
} from '@wherry/client/internal'
import { type ContainerState, containerState } from './container-state.ts'
import { LogPlace, timedLine } from './log-place.ts'
import { logStream } from './log-stream.ts'
import { type PodKey, podRequest } from './pod.ts'

/** The options of {@link logs}. `A`: how a line is given. */
export interface LogOptions<A extends 'text' | 'bytes' = 'text' | 'bytes'> {
  /** The name of the container. @default the pod's only one, or the one that its annotation `kubectl.kubernetes.io/default-container` names */
  readonly container?: string | undefined
  /** Goes on with new lines until the container ends. @default false */
  readonly follow?: boolean | undefined
  /** Leaves out lines that are older. The server takes it to the second. @default the begin of the log */
  readonly since?: Date | undefined
  /** Only so many lines, the last ones; with `follow`, they are followed by new ones. @default all */
  readonly tail?: number | undefined
  /** The log of the container's former run. @default false */
  readonly previous?: boolean | undefined
  /** Puts the time of each line before it, as the server writes it: `2026-01-01T00:00:00.123456789Z `. @default false */
  readonly timestamps?: boolean | undefined
  /** Lines as UTF-8 or as their bytes. @default 'text' */
  readonly as?: A | undefined
  /** The longest line that is taken, in bytes. @default 1_048_576 */
  readonly maxLineBytes?: number | undefined
  /** Ends it: the iterable throws its reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The log of a container, line by line. A slow reader holds the server back, so memory is bounded. Leaving the loop ends the request.
 *
 * With `follow`, a connection that breaks is opened again, with the waits of a watch, at the last line: no line is lost, and none comes twice, as long
 * as the node keeps the log. It ends when the container does, also if it is then restarted. Needs the right `get` of `pods/log`; with `follow`, also `get`
 * of `pods`: without it, a server that ends the stream early is taken for a container that has ended.
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

type Batches = AsyncGenerator<readonly Buffer[], void, undefined>

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
    // A batch at a time: to pass each line through several generators would take longer than all the rest.
    for await (const batch of this.#batches()) {
      for (const line of batch) {
        this.#signal.throwIfAborted()
        yield this.#options.as === 'bytes' ? line : line.toString()
      }
    }
  }

  async *#batches(): Batches {
    const { follow = false, previous = false } = this.#options
    if (!follow) return yield* this.#read({ follow, previous })
    const first = await this.#state()
    for (let isFirst = true; ; isFirst = false) {
      try {
        yield* this.#read({ follow, previous })
      } catch (error) {
        if (isFirst && this.#place.since === undefined) throw error
        if (!mayPass(error)) throw error
        await this.#backoff.wait(this.#signal, error instanceof ApiError ? error.retryAfterMs : 0)
        continue
      }
      const now = await this.#state()
      if (now === 'unknown' || now === undefined) return
      if (isOther(first, now)) return yield* this.#rest()
      if (!now.isRunning) return
      await this.#backoff.wait(this.#signal)
    }
  }

  /** The container was restarted: its last lines may be in the log of the former run only. */
  async *#rest(): Batches {
    try {
      yield* this.#read({ follow: false, previous: true })
    } catch (error) {
      // The node keeps it no more.
      if (!(error instanceof ApiError)) throw error
    }
  }

  async *#read(how: { readonly follow: boolean; readonly previous: boolean }): Batches {
    const { container, since, tail, timestamps = false, maxLineBytes = 1024 * 1024 } = this.#options
    // If the stream breaks off, a line without a time could not be found again.
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
    // The time before a line is no part of it.
    const longest = maxLineBytes + (isTimed || timestamps ? longestTime : 0)
    for await (const batch of logStream(this.#client, request, longest, this.#signal)) {
      yield isTimed ? this.#newOf(batch, maxLineBytes) : batch
    }
  }

  /** The lines that were not delivered yet, as they are shown. */
  #newOf(batch: readonly Buffer[], maxLineBytes: number): Buffer[] {
    const shown: Buffer[] = []
    for (const line of batch) {
      const timed = timedLine(line)
      if (timed.text.length > maxLineBytes) throw new LineTooLongError(maxLineBytes)
      if (this.#place.isNew(timed)) shown.push(this.#options.timestamps === true ? line : timed.text)
    }
    return shown
  }

  #state(): Promise<ContainerState | 'unknown' | undefined> {
    return containerState(this.#client, this.#pod, this.#options.container, this.#signal)
  }
}

/** `2026-01-01T00:00:00.123456789+00:00 ` */
const longestTime = 36

function isOther(first: ContainerState | 'unknown' | undefined, now: ContainerState): boolean {
  return typeof first === 'object' && first.id !== undefined && now.id !== undefined && first.id !== now.id
}
