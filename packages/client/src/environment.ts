import diagnostics from 'node:diagnostics_channel'
import { type Clock, systemClock } from './clock.ts'

export type { Clock, Timer } from './clock.ts'

/** Where a background failure happened. */
export interface ErrorContext {
  /** The resource, as `group/version/plural` or as its view's key. */
  readonly resource?: string | undefined
  /** The activity, for example `list`, `watch`, `handler`. */
  readonly phase: string
  /** The object's key, if the failure is about one object. */
  readonly key?: string | undefined
  /** The number of failures that this call reports together, if more than one; `key` is that of the first. */
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
 * Everything that Wherry needs from outside, except the network. It is passed once, to the client, and all packages above read it from there.
 * `simulate(seed)` of `@wherry/testing` gives one that replays.
 */
export interface Environment {
  readonly clock: Clock
  /** A random number: at least 0, less than 1. Not for secrets. */
  random(): number
  /** Receives failures in the background, which no caller can catch. Must not throw. */
  onError(error: Error, context: ErrorContext): void
  /** Receives warnings: of things that are allowed but unwise, and of the server. Must not throw. */
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
 * The environment of a real process: this machine's clock and `Math.random`. `parts` replaces any of it.
 *
 * A library prints nothing, so this environment is silent by default: `metrics` and `log` go nowhere, and `onError` and `onWarning` only to the
 * diagnostics channels `wherry:error` ({@link ErrorMessage}) and `wherry:warning` ({@link WarningMessage}). Set `onError` in a program: failures in
 * the background are retried, and nothing else reports them.
 */
export function systemEnvironment(parts: Partial<Environment> = {}): Environment {
  return { ...defaults(), ...withoutUndefined(parts) }
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

function withoutUndefined<T extends object>(parts: T): T {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as T
}

/** An environment with callbacks that never throw (rule X9): `onError` receives their errors, and errors of `onError` are dropped. */
export function guarded(environment: Environment): Environment {
  const { clock, metrics } = environment
  const onError = (error: Error, context: ErrorContext): void => {
    try {
      environment.onError(error, context)
    } catch {
      // An error of `onError` can't be reported.
    }
  }
  const safely =
    <A extends readonly unknown[]>(phase: string, call: (...args: A) => void) =>
    (...args: A): void => {
      try {
        call(...args)
      } catch (error) {
        onError(error instanceof Error ? error : new Error(`${phase} threw`, { cause: error }), { phase })
      }
    }
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
