import type { Clock } from '@wherry/apiserver'
import type { Environment, ErrorContext, MetricLabels, WarningContext } from '../environment.ts'
import type { Trace } from './trace.ts'

/** A failure that was reported to `onError`. */
export interface RecordedError {
  readonly error: Error
  readonly context: ErrorContext
}

/** A warning that was reported to `onWarning`. */
export interface RecordedWarning {
  readonly message: string
  readonly context?: WarningContext | undefined
}

/** An {@link Environment} that writes errors, warnings, metrics and log lines into a trace, and keeps all but the log lines for assertions. */
export interface RecordedEnvironment extends Environment {
  readonly errors: readonly RecordedError[]
  readonly warnings: readonly RecordedWarning[]
  /** The sum of a counter, the last value of a gauge, the sum of a histogram; `undefined` if nothing was measured, or the metric was forgotten. */
  metric(name: string, labels?: MetricLabels): number | undefined
}

/** See {@link RecordedEnvironment}. */
export function recordedEnvironment(clock: Clock, random: () => number, trace: Trace): RecordedEnvironment {
  const errors: RecordedError[] = []
  const warnings: RecordedWarning[] = []
  const values = new Map<string, number>()
  /** The number of each series, in the order of their first use. The trace hashes the text of a series once, and its number from then on. */
  const numbers = new Map<string, number>()
  const addToTrace = (key: string, value: number, line: string): void => {
    const number = numbers.get(key)
    if (number !== undefined) return trace.addAs(line, number, value)
    numbers.set(key, numbers.size)
    trace.add(line)
  }
  const add = (name: string, labels: MetricLabels | undefined, by: number): void => {
    const key = series(name, labels)
    values.set(key, (values.get(key) ?? 0) + by)
    addToTrace(key, by, `metric ${key} +${by}`)
  }
  return {
    clock,
    random,
    errors,
    warnings,
    onError(error, context) {
      errors.push({ error, context })
      trace.add(`error ${context.phase} ${context.resource ?? ''} ${context.key ?? ''} ${error.name}: ${error.message}`)
    },
    onWarning(message, context) {
      warnings.push({ message, context })
      trace.add(`warning ${message}`)
    },
    metrics: {
      count: (name, labels, by = 1) => add(name, labels, by),
      observe: (name, value, labels) => add(name, labels, value),
      gauge(name, value, labels) {
        const key = series(name, labels)
        values.set(key, value)
        addToTrace(key, value, `metric ${key} =${value}`)
      },
      forget(name, labels) {
        const key = series(name, labels)
        values.delete(key)
        trace.add(`metric ${key} is gone`)
      },
    },
    log: (level, message) => trace.add(`${level} ${message}`),
    metric: (name, labels) => values.get(series(name, labels)),
  }
}

function series(name: string, labels: MetricLabels = {}): string {
  let text = ''
  for (const key of Object.keys(labels).sort()) text += `${text === '' ? '' : ','}${key}=${JSON.stringify(labels[key])}`
  return text === '' ? name : `${name}{${text}}`
}
