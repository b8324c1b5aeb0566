import {
  type ClientOptions,
  type KubernetesObject,
  type ObjectKey,
  OptionRangeError,
  OptionTypeError,
} from '@wherry/client'
import { type Check, callback, checkOptions, having, milliseconds, text } from '@wherry/client/internal'
import type { Operator } from '../operator/operator.ts'

/** An embedded API server, from `startApiServer` of `@wherry/testing` or `startEmbeddedApiServer` of `@wherry/apiserver`. */
export interface OnceServer {
  readonly url: string
  readonly token: string
  /** A connection in memory, without latency, that delivers each answer in one chunk. */
  transport(options: {
    readonly latencyMs: 0
    readonly chunking: 'whole'
  }): NonNullable<ClientOptions['transport']> & { close(): unknown }
  /** Stores objects unchanged, without checks. */
  fill(objects: readonly object[]): Promise<number>
}

/** Options of {@link reconcileOnce}. */
export interface ReconcileOnceOptions {
  /** The server, with the definitions of all kinds. You close it. */
  readonly server: OnceServer
  /** Declares the controllers, by the same function as the program does. Components are left out. */
  readonly declare: (operator: Operator) => unknown
  /** The name of the controller that runs. @default the only controller */
  readonly controller?: string | undefined
  /**
   * The primary object; not for a singleton. It is stored unchanged, without the server's checks and defaults, so it may have a status, a uid or a
   * `deletionTimestamp`. Its `apiVersion` and `kind` are the view's. Its namespace, if it names none, is the view's or `default`.
   */
  readonly object?: KubernetesObject | undefined
  /** Names the primary object in place of `object`, if the server has it. */
  readonly key?: ObjectKey | undefined
  /** Further objects, stored as `object` is. Each needs its `apiVersion` and `kind`. @default none */
  readonly objects?: readonly KubernetesObject[] | undefined
  /** The time that the run's `now()` returns and that conditions get. It does not advance; timers run in real time. @default the real time */
  readonly now?: Date | undefined
  /** The operator's name: field managers are `NAME/CONTROLLER`. @default 'operator' */
  readonly name?: string | undefined
  /** How long the run may take, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined
}

const time: Check = (option, value) => {
  if (!(value instanceof Date)) throw new OptionTypeError(option, 'a Date', typeof value)
  if (Number.isNaN(value.getTime())) throw new OptionRangeError(option, 'a valid Date', String(value))
}

const listOfObjects: Check = (option, value) => {
  if (!Array.isArray(value)) throw new OptionTypeError(option, 'an array of objects', typeof value)
  for (const [at, one] of value.entries()) {
    const { apiVersion, kind } = Object(one) as KubernetesObject
    if (typeof apiVersion === 'string' && typeof kind === 'string') continue
    throw new OptionTypeError(
      `${option}[${at}]`,
      'an object with apiVersion and kind',
      JSON.stringify({ apiVersion, kind }),
    )
  }
}

/** @throws OptionTypeError, OptionRangeError (rule X6) */
export function checkOnceOptions(options: ReconcileOnceOptions): void {
  const checks: Readonly<Record<keyof ReconcileOnceOptions, Check>> = {
    server: having('an embedded API server', 'transport', 'fill'),
    declare: callback,
    controller: text,
    object: having('an object'),
    key: having('{ name, namespace }'),
    objects: listOfObjects,
    now: time,
    name: text,
    timeoutMs: milliseconds({ min: 1 }),
  }
  checkOptions('reconcileOnce', options, checks, ['server', 'declare'])
}
