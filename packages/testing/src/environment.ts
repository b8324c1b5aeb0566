import type { Clock } from '@wherry/apiserver'

/** The activity and the object of a background failure. */
export interface ErrorContext {
  /** The resource of the failure, as `group/version/plural` or by the name of its view. */
  readonly resource?: string | undefined
  /** The activity that failed, such as `list`, `watch` or `handler`. */
  readonly phase: string
  /** The object's key, if the failure concerns a single object. */
  readonly key?: string | undefined
  /** The number of failures of this kind that the call reports, if there are several: `key` is that of the first. */
  readonly count?: number | undefined
  /** The name of the cluster, if the program works with several. */
  readonly cluster?: string | undefined
}

/** The subject of a warning, as flat data. */
export type WarningContext = Readonly<Record<string, string | number | boolean | undefined>>

/** Label names and values of a metric. */
export type MetricLabels = Readonly<Record<string, string>>

/** The destination of measurements. Names are Prometheus names; units are in the name. */
export interface Metrics {
  /** Adds `by` (default 1) to a counter. */
  count(name: string, labels?: MetricLabels, by?: number): void
  /** Sets a gauge. */
  gauge(name: string, value: number, labels?: MetricLabels): void
  /** Adds an observation to a histogram. */
  observe(name: string, value: number, labels?: MetricLabels): void
  /** Removes a gauge, because the thing that it measured no longer exists. If this method is missing, the gauge is set to 0. */
  forget?(name: string, labels?: MetricLabels): void
}

/** The severity of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Flat data of a log line. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * Everything that the code under test takes from the world around it, except for bytes. The interface is declared here
 * in the same shape as that of the client, so that neither package imports the other.
 */
export interface Environment {
  readonly clock: Clock
  /** A random number: at least 0, less than 1. */
  random(): number
  /** Called for failures in the background, which no caller can catch. Must not throw. */
  onError(error: Error, context: ErrorContext): void
  /** Called for a use that is allowed but unwise. Must not throw. */
  onWarning(message: string, context?: WarningContext): void
  readonly metrics: Metrics
  log(level: LogLevel, message: string, fields?: LogFields): void
}
