import { type Client, type Environment, OptionRangeError, OptionTypeError, type WatchContext } from '@wherry/client'
import {
  type Check,
  callback,
  checkOptions,
  having,
  integer,
  oneOf,
  type ReadTarget,
  text,
} from '@wherry/client/internal'
import type { InformerState } from '../informer-state.ts'
import { HeldReads } from './held-reads.ts'
import type { Pacer } from './pacer.ts'
import { StreamingSupport } from './streaming-support.ts'

/** How a first state is read (rule R1). */
export type InitialRead = 'stream' | 'whole' | 'paged'

/** Listeners of the owner of a reflector. Their errors go to `onError`. */
export interface ReflectorListeners {
  /** Called when the state changes. */
  state?(state: InformerState): void
  /** The server has accepted a watch. The watch of a streaming list is accepted before its initial events come. */
  watching?(): void
  /**
   * Called when all objects were listed and committed to all writers, before any later change. `resourceVersion`: that of the list.
   */
  synced?(resourceVersion: string): void
  /** Called when it is proved that the server does not serve the resource. The writers are empty then (rule D8). */
  missing?(error: Error): void
  /**
   * Called when a list or a watch has failed: it will be retried, unless the client was closed. `onError` receives the error too, except errors of usual
   * operation, such as an expired resourceVersion, and repeated refusals.
   */
  error?(error: Error): void
}

/** How a reflector reads. All options have defaults. */
export interface ReadingOptions {
  /**
   * How all objects are read at first, and when the watch can't be resumed (rule R1):
   *
   * - `stream`: by a watch that begins with them. Falls back to `whole` if the server has no streaming lists.
   * - `whole`: by a list from the API server's cache, in one answer.
   * - `paged`: in pages of `pageSize`. This is slower, and each page is read from etcd. Use it if the API server's cache
   *   is the bottleneck.
   *
   * @default 'stream'
   */
  readonly initial?: InitialRead | undefined
  /** The maximum number of items of a page, with `initial: 'paged'` and for resources that the API server does not cache. @default 500 */
  readonly pageSize?: number | undefined
  /** Longest object, in bytes as sent. @default 16 MiB */
  readonly maxObjectBytes?: number | undefined
}

export interface ReflectorOptions extends ReadingOptions {
  readonly client: Pick<Client, 'raw' | 'environment'>
  /** The collection to read: see `targetsOf`. */
  readonly target: ReadTarget
  /**
   * How old the objects of a first `whole` list may be: `any` state of the API server's cache, or the `newest`, for callers
   * that rely on the absence of an object. A streaming list is always the newest. @default 'any'
   */
  readonly firstList?: 'any' | 'newest' | undefined
  /** How long each watch is asked to last, at random between these, in seconds. @default { min: 290, max: 590 } */
  readonly timeoutSeconds?: { readonly min: number; readonly max: number } | undefined
  /** The known support of the server for streaming lists; shared by reflectors of one client. @default that of this reflector */
  readonly streaming?: StreamingSupport | undefined
  /**
   * The pacer of all requests but the first: those after a failure, and after a watch has ended or is about to end.
   * @default none
   */
  readonly pacer?: Pacer | undefined
  /** The resources that must not be listed yet. @default none */
  readonly held?: HeldReads | undefined
  /** The label `name` of its metrics. @default `group/version/plural` */
  readonly name?: string | undefined
  readonly on?: ReflectorListeners | undefined
}

export const readingChecks: Readonly<Record<keyof ReadingOptions, Check>> = {
  initial: oneOf('stream', 'whole', 'paged'),
  pageSize: integer(1),
  maxObjectBytes: integer(1),
}

const listeners: Readonly<Record<keyof ReflectorListeners, Check>> = {
  state: callback,
  watching: callback,
  synced: callback,
  missing: callback,
  error: callback,
}

const checks: Readonly<Record<keyof ReflectorOptions, Check>> = {
  ...readingChecks,
  client: clientCheck,
  target: (option, value) => {
    const { path, selection } = (value ?? {}) as Partial<ReadTarget>
    if (typeof path !== 'string' || selection === undefined) {
      throw new OptionTypeError(option, 'a ReadTarget, as targetsOf(view) gives', typeof value)
    }
  },
  firstList: oneOf('any', 'newest'),
  timeoutSeconds: seconds,
  streaming: (option, value) => {
    if (!(value instanceof StreamingSupport)) throw new OptionTypeError(option, 'a StreamingSupport', typeof value)
  },
  pacer: having('a Pacer', 'enter'),
  held: (option, value) => {
    if (!(value instanceof HeldReads)) throw new OptionTypeError(option, 'HeldReads', typeof value)
  },
  name: text,
  on: (option, value) => checkOptions(option, value, listeners),
}

export function clientCheck(option: string, value: unknown): void {
  const { raw, environment } = (value ?? {}) as Partial<Client>
  having('a Client', 'request')(`${option}.raw.requester`, raw?.requester ?? null)
  having('a Client', 'onError')(`${option}.environment`, environment ?? null)
}

function seconds(option: string, value: unknown): void {
  checkOptions(option, value, { min: integer(1), max: integer(1) }, ['min', 'max'])
  const { min, max } = value as { readonly min: number; readonly max: number }
  if (min > max) throw new OptionRangeError(option, 'a min that is no more than max', `${min} and ${max}`)
}

/** Checked options with their defaults, which reflectors with equal options share. */
export interface ReflectorSettings {
  readonly context: WatchContext
  readonly environment: Environment
  readonly initial: InitialRead
  readonly pageSize: number
  readonly maxObjectBytes: number | undefined
  readonly firstList: 'any' | 'newest'
  readonly timeoutSeconds: { readonly min: number; readonly max: number }
  readonly streaming: StreamingSupport
  readonly pacer: Pacer | undefined
  readonly held: HeldReads | undefined
  readonly name: string | undefined
}

/** A reflector, of options that were checked already: for thousands that share their settings. */
export interface PreparedReflector {
  readonly settings: ReflectorSettings
  readonly target: ReadTarget
  readonly on: ReflectorListeners
}

/** @throws OptionTypeError, OptionRangeError */
export function prepared(options: ReflectorOptions): PreparedReflector {
  const { target, on = {} } = options
  const settings = settingsOf(options)
  if (target === undefined) checks.target('reflector.target', target)
  return { settings, target, on }
}

/** @throws OptionTypeError, OptionRangeError */
export function settingsOf(options: Omit<ReflectorOptions, 'target' | 'on'>): ReflectorSettings {
  checkOptions('reflector', options, checks)
  const { client } = options
  if (client === undefined) clientCheck('reflector.client', client)
  const { raw: context, environment } = client
  return {
    context,
    environment,
    initial: options.initial ?? 'stream',
    pageSize: options.pageSize ?? 500,
    maxObjectBytes: options.maxObjectBytes,
    firstList: options.firstList ?? 'any',
    timeoutSeconds: options.timeoutSeconds ?? { min: 290, max: 590 },
    streaming: options.streaming ?? new StreamingSupport(environment.clock),
    pacer: options.pacer,
    held: options.held,
    name: options.name,
  }
}
