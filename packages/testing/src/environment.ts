import type { Clock } from '@wherry/apiserver'

/** Where in Wherry a background failure came up. */
export interface ErrorContext {
  /** The resource that was worked on, as `group/version/plural` or as its view is called. */
  readonly resource?: string | undefined
  /** What was being done, e.g. `list`, `watch`, `handler`. */
  readonly phase: string
  /** The object's key, where the failure concerns one object. */
  readonly key?: string | undefined
  /** How many failures of this kind the call stands for, where that is more than one: `key` is the first one's. */
  readonly count?: number | undefined
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
  /** What the gauge measured is gone: nothing is shown for it. Where this is missing, it is set to 0. */
  forget?(name: string, labels?: MetricLabels): void
}

/** How loud a log line is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Flat data of a log line. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * Everything that the code under test takes from the world around it, but for bytes. Declared here
 * in the same shape as the client's, so that neither package imports the other.
 */
export interface Environment {
  readonly clock: Clock
  /** A random number: at least 0, less than 1. */
  random(): number
  /** Called for failures in the background, which no caller is there to catch. Must not throw. */
  onError(error: Error, context: ErrorContext): void
  /** Called for a use that is allowed and unwise. Must not throw. */
  onWarning(message: string, context?: WarningContext): void
  readonly metrics: Metrics
  log(level: LogLevel, message: string, fields?: LogFields): void
}
