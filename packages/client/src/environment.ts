import { type Clock, systemClock } from './clock.ts'

/** Where in Wherry a background failure came up. */
export interface ErrorContext {
  /** The resource that was worked on, as `group/version/plural` or as its view is called. */
  readonly resource?: string | undefined
  /** What was being done, e.g. `list`, `watch`, `handler`. */
  readonly phase: string
  /** The object's key, where the failure concerns one object. */
  readonly key?: string | undefined
}

/** What a warning is about, as flat data. */
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
}

/** How loud a log line is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Flat data beside a log line. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * Everything that Wherry takes from the world around it, but for bytes: given once to the client and
 * read from it by all above. A test gives one whose time and random numbers are its own.
 */
export interface Environment {
  readonly clock: Clock
  /** A random number: at least 0, less than 1. */
  random(): number
  /** Hears of failures in the background, which no caller is there to catch. Must not throw. */
  onError(error: Error, context: ErrorContext): void
  /** Hears of what is allowed and unwise. Must not throw. */
  onWarning(message: string, context?: WarningContext): void
  readonly metrics: Metrics
  log(level: LogLevel, message: string, fields?: LogFields): void
}

const silent: Metrics = { count() {}, gauge() {}, observe() {} }

/**
 * The environment of this machine: its clock, `Math.random`, and listeners that do nothing, but
 * for what `given` replaces. Nothing is printed by a library: who wants to hear gives listeners.
 */
export function systemEnvironment(given: Partial<Environment> = {}): Environment {
  return {
    clock: systemClock(),
    random: () => Math.random(),
    onError() {},
    onWarning() {},
    metrics: silent,
    log() {},
    ...given,
  }
}
