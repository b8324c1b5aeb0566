import diagnostics from 'node:diagnostics_channel'
import { type Clock, systemClock } from './clock.ts'

export type { Clock, Timer } from './clock.ts'

/** Where a background failure happened. */
export interface ErrorContext {
  /** The resource, as `group/version/plural` (`version/plural` in the core group) or as its view's key. */
  readonly resource?: string | undefined
  /** The activity, for example `list`, `watch`, `handler`. */
  readonly phase: string
  /** The key or the name of the object that the failure is about, if there is one. */
  readonly key?: string | undefined
  /** The number of failures that this call reports together, if more than one. A `key` is that of the first failure. */
  readonly count?: number | undefined
  /** The name of the cluster, if the program works with several. */
  readonly cluster?: string | undefined
}

/** The context of a warning, as flat data. */
export type WarningContext = Readonly<Record<string, string | number | boolean | undefined>>

/** Label names and values of a metric. */
export type MetricLabels = Readonly<Record<string, string>>

/** Where measurements go. Names are Prometheus names; units are in the name. */
export interface Metrics {
  /** Adds `by` (default 1) to a counter. */
  count(name: string, labels?: MetricLabels, by?: number): void
  /** Sets a gauge. */
  gauge(name: string, value: number, labels?: MetricLabels): void
  /** Adds one observation to a histogram. */
  observe(name: string, value: number, labels?: MetricLabels): void
  /** Removes a gauge after its subject is gone. Without this method, the gauge is set to 0. */
  forget?(name: string, labels?: MetricLabels): void
}

/** The level of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Flat data of a log line. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * Time, chance and reporting: the parts of the world outside that Wherry uses, besides the network, files and environment variables. It is passed to the
 * client, and everything that is built on a client reads it from there; a `WatchManager` and a `HealthServer` that are made on their own take one, too.
 * No function of it may throw. `simulate(seed)` of `@wherry/testing` gives one that replays.
 */
export interface Environment {
  readonly clock: Clock
  /** A random number: at least 0, less than 1. Not for secrets. */
  random(): number
  /** Receives failures in the background, which no caller can catch. */
  onError(error: Error, context: ErrorContext): void
  /** Receives warnings: of things that are allowed but unwise, and of the server. */
  onWarning(message: string, context?: WarningContext): void
  readonly metrics: Metrics
  log(level: LogLevel, message: string, fields?: LogFields): void
}

/** The message of the channel `wherry:error` of `diagnostics_channel`, see {@link systemEnvironment}. */
export interface ErrorMessage {
  readonly error: Error
  readonly context: ErrorContext
}

/** The message of the channel `wherry:warning` of `diagnostics_channel`, see {@link systemEnvironment}. */
export interface WarningMessage {
  readonly message: string
  readonly context: WarningContext | undefined
}

/**
 * The environment of a real process: this machine's clock and `Math.random`. Each of the `parts` that is not `undefined` replaces its default.
 *
 * A library prints nothing, so this environment is silent by default: `metrics` and `log` go nowhere, and `onError` and `onWarning` only to the
 * diagnostics channels `wherry:error` ({@link ErrorMessage}) and `wherry:warning` ({@link WarningMessage}). Set `onError` in a program, which
 * takes the place of the channel: no call rejects with these failures.
 */
export function systemEnvironment(parts: Partial<Environment> = {}): Environment {
  const own = defaults()
  return { ...own, ...Object.fromEntries(Object.keys(own).flatMap(name => given(parts, name as keyof Environment))) }
}

/** A part as an entry, if it is given. A method of a class keeps its object. */
function given(parts: Partial<Environment>, name: keyof Environment): readonly (readonly [string, unknown])[] {
  const part: unknown = parts[name]
  if (part === undefined) return []
  return [[name, typeof part === 'function' && !Object.hasOwn(parts, name) ? part.bind(parts) : part]]
}

function defaults(): Environment {
  const errors = diagnostics.channel('wherry:error')
  const warnings = diagnostics.channel('wherry:warning')
  return {
    clock: systemClock(),
    random: Math.random,
    onError: (error, context) => errors.publish({ error, context } satisfies ErrorMessage),
    onWarning: (message, context) => warnings.publish({ message, context } satisfies WarningMessage),
    metrics: { count() {}, gauge() {}, observe() {} },
    log() {},
  }
}

/**
 * An environment with callbacks that never throw (rule X9): `onError` receives what the other callbacks throw, or reject with if they are `async`; the errors
 * of `onError` are dropped. `clock` and `random` are passed through.
 */
export function guarded(environment: Environment): Environment {
  const { clock, metrics } = environment
  const onError = (error: Error, context: ErrorContext): void => {
    // An error of `onError` can't be reported.
    attempt(
      () => environment.onError(error, context),
      () => {},
    )
  }
  const safely =
    <A extends readonly unknown[]>(phase: string, call: (...args: A) => void) =>
    (...args: A): void =>
      attempt(
        () => call(...args),
        error => onError(error instanceof Error ? error : new Error(`${phase} threw`, { cause: error }), { phase }),
      )
  return {
    clock,
    random: () => environment.random(),
    onError,
    onWarning: safely('onWarning', (message, context) => environment.onWarning(message, context)),
    metrics: {
      count: safely('metrics', (name, labels, by) => metrics.count(name, labels, by)),
      gauge: safely('metrics', (name, value, labels) => metrics.gauge(name, value, labels)),
      observe: safely('metrics', (name, value, labels) => metrics.observe(name, value, labels)),
      forget: safely('metrics', (name, labels) =>
        metrics.forget === undefined ? metrics.gauge(name, 0, labels) : metrics.forget(name, labels),
      ),
    },
    log: safely('log', (level, message, fields) => environment.log(level, message, fields)),
  }
}

/** Calls a function that should return nothing, but may be `async`. */
function attempt(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = call()
    if (result instanceof Promise) result.catch(failed)
  } catch (error) {
    failed(error)
  }
}
