import { hostname } from 'node:os'
import { type Client, OptionRangeError } from '@wherry/client'
import { checkOptions, having, text } from '@wherry/client/internal'

/** Options of an {@link EventRecorder}. */
export interface EventRecorderOptions {
  /** Creates and patches `events`, which must be allowed in the namespaces of the objects that events are about. */
  readonly client: Client
  /** The reporting controller: a qualified name such as `example.com/game-controller`, or a plain one. */
  readonly controller: string
  /** The instance of the reporting controller, at most 128 characters. @default the host's name */
  readonly instance?: string | undefined
}

export type RecorderSettings = EventRecorderOptions & { readonly instance: string }

/** Checks the options (rule X6). */
export function recorderSettings(options: EventRecorderOptions): RecorderSettings {
  const client = having('a Client', 'create', 'patch')
  checkOptions('events', options, { client, controller: qualified, instance: atMost128 }, ['client', 'controller'])
  return { ...options, instance: options.instance ?? hostname().slice(0, 128) }
}

function qualified(option: string, value: unknown): void {
  text(option, value)
  if (!/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/.test(value as string))
    throw new OptionRangeError(option, 'a qualified name: name, or domain/name', JSON.stringify(value))
}

/** The server takes no longer instance. */
function atMost128(option: string, value: unknown): void {
  text(option, value)
  if ((value as string).length > 128) throw new OptionRangeError(option, 'at most 128 characters', `${value}`)
}
