import { hostname } from 'node:os'
import { type Client, OptionRangeError, OptionTypeError } from '@wherry/client'
import { checkOptions, having, integer, milliseconds, text } from '@wherry/client/checks'

/** Options of an {@link EventRecorder}. */
export interface EventRecorderOptions {
  /** Creates and patches `events`, which must be allowed in the namespaces of the objects that events are about. */
  readonly client: Client
  /** Who reports: a qualified name such as `example.com/game-controller`, or a plain one. */
  readonly controller: string
  /** Which one of them, at most 128 characters. @default the host's name */
  readonly instance?: string | undefined
  /** How many events about one object may be recorded at once; each later one is dropped until there is room. @default 25 */
  readonly burst?: number | undefined
  /** How long it takes until there is room for one more, in milliseconds. @default 300_000 */
  readonly refillMs?: number | undefined
  /** From so many different messages of one type and reason about one object on, they are counted as one. @default 10 */
  readonly similar?: number | undefined
  /** How long after its last time an event is counted on, and others are similar to it, in milliseconds. @default 600_000 */
  readonly windowMs?: number | undefined
  /** How many events may wait to be sent; more are dropped. @default 1_000 */
  readonly maxPending?: number | undefined
}

export type RecorderSettings = Required<{
  readonly [K in keyof EventRecorderOptions]: NonNullable<EventRecorderOptions[K]>
}>

/** Checks the options (rule X6). */
export function recorderSettings(options: EventRecorderOptions): RecorderSettings {
  checkOptions('events', options, {
    client: having('a Client', 'create', 'patch'),
    controller: text,
    instance: atMost128,
    burst: integer(1),
    refillMs: milliseconds({ min: 1 }),
    similar: integer(2),
    windowMs: milliseconds({ min: 1 }),
    maxPending: integer(1),
  })
  if (options?.client === undefined) throw new OptionTypeError('events.client', 'a Client', 'nothing')
  if (options.controller === undefined) throw new OptionTypeError('events.controller', 'a name', 'nothing')
  if (!/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/.test(options.controller)) {
    throw new OptionRangeError(
      'events.controller',
      'a qualified name: name, or domain/name',
      JSON.stringify(options.controller),
    )
  }
  return {
    client: options.client,
    controller: options.controller,
    instance: options.instance ?? hostname().slice(0, 128),
    burst: options.burst ?? 25,
    refillMs: options.refillMs ?? 300_000,
    similar: options.similar ?? 10,
    windowMs: options.windowMs ?? 600_000,
    maxPending: options.maxPending ?? 1000,
  }
}

/** The server takes no longer one. */
function atMost128(option: string, value: unknown): void {
  text(option, value)
  if ((value as string).length > 128) throw new OptionRangeError(option, 'at most 128 characters', `${value}`)
}
