import { availableParallelism, totalmem } from 'node:os'
import type { Target } from './bench.ts'
import { unitOf } from './bench.ts'
import { type Figure, inWork, type Outcome } from './run-bench.ts'

/** A target next to the measured figure. */
export interface Verdict {
  /** In words: `wherry.get_us ≤ 1.25 × limit.get_us`. */
  readonly target: string
  /** `open`: not measured, or an absolute bound at another number of objects. */
  readonly state: 'kept' | 'missed' | 'open'
  /** The figure, or its ratio to the other subject's; undefined when not measured. */
  readonly got: number | undefined
  /** The same with its unit. */
  readonly shown: string
}

/** Judges each target of the bench by the medians. */
export function judge(outcome: Outcome): Verdict[] {
  const median = (subject: string, metric: string): number | undefined =>
    outcome.figures.find(figure => figure.subject === subject && figure.metric === metric)?.summary.median
  return outcome.bench.targets.map(target => {
    const other = target.times && median(target.times.subject, target.times.metric ?? target.metric)
    const base = target.above ? median(target.above.subject, target.metric) : 0
    const value = median(target.subject, target.metric)
    const isThere = value !== undefined && base !== undefined && !(target.times && !other)
    const got = isThere ? (value - base) / (other ?? 1) : undefined
    const judged = got !== undefined && (target.times !== undefined || outcome.objects === outcome.bench.objects)
    const kept = got !== undefined && got <= (target.atMost ?? Infinity) && got >= (target.atLeast ?? -Infinity)
    const shown = got === undefined ? 'not measured' : `got ${target.times ? short(got) : withUnit(got, target.metric)}`
    return { target: inWords(target), state: !judged ? 'open' : kept ? 'kept' : 'missed', got, shown }
  })
}

function inWords(target: Target): string {
  const { subject, metric, times, above, atMost, atLeast } = target
  const sign = atMost === undefined ? '≥' : '≤'
  const bound = atMost ?? atLeast ?? 0
  const right = times ? `${bound} × ${times.subject}.${times.metric ?? metric}` : withUnit(bound, metric)
  return `${subject}.${metric} ${sign} ${above ? `${above.subject}.${metric} + ` : ''}${right}`
}

/** Runs of the fixed work that differ by more make a measurement too noisy. */
const noisy = 1.15

/** What a person reads: what was measured how, a table, the targets, and what failed. */
export function report(outcome: Outcome): string {
  const { bench, objects, figures, failures, workMs } = outcome
  const lines = [
    `bench ${bench.name}: ${bench.measures}`,
    `transport: ${bench.transport}; Node ${process.versions.node}, NODE_ENV=production; ${machine()}; each run in a process of its own, subjects by turns`,
    '',
    ...(workMs === undefined
      ? []
      : [
          `work: JSON.parse of 1 MB, ${withUnit(workMs.median, 'parse_ms')} (${short(workMs.min)} to ${short(workMs.max)})`,
          '',
        ]),
    ...table(figures, workMs?.median),
  ]
  if (workMs !== undefined && workMs.max > workMs.min * noisy) {
    const apart = Math.round(100 * (workMs.max / workMs.min - 1))
    lines.push(
      '',
      `NOISY  two runs of the fixed work differ by ${apart} %: measure again when this machine has nothing else to do`,
    )
  }
  const verdicts = judge(outcome)
  if (verdicts.length > 0) lines.push('')
  for (const { target, state, got, shown } of verdicts) {
    const mark = { kept: 'pass', missed: 'MISS', open: 'open' }[state]
    const at =
      state === 'open' && got !== undefined ? `, the bound is for ${bench.objects} objects, these were ${objects}` : ''
    lines.push(`${mark}  ${target}  (${shown}${at})`)
  }
  for (const { subject, error } of failures) lines.push('', `FAILED  ${subject}: ${error.message}`)
  return lines.join('\n')
}

/** The machine in words. */
export function machine(): string {
  return `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB`
}

/** The figures as a table in Markdown, for the pages in docs/benchmarks. */
export function markdown(figures: readonly Figure[], workMs?: number): string {
  const [head = [], ...rows] = rowsOf(figures, workMs)
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column < 3 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

function rowsOf(figures: readonly Figure[], workMs: number | undefined): string[][] {
  const ratio = (metric: string, value: number): string => {
    const found = inWork(metric, value, workMs)
    return found === undefined ? '' : `${short(found)} ×`
  }
  const rows = figures.map(({ input, subject, metric, summary }) => [
    input,
    subject,
    metric,
    ...(workMs === undefined ? [] : [ratio(metric, summary.median)]),
    withUnit(summary.median, metric),
    withUnit(summary.min, metric),
    withUnit(summary.max, metric),
    `${summary.runs}`,
  ])
  const head = ['input', 'subject', 'metric', ...(workMs === undefined ? [] : ['work']), 'median', 'min', 'max', 'runs']
  return [head, ...rows]
}

function table(figures: readonly Figure[], workMs: number | undefined): string[] {
  const all = rowsOf(figures, workMs)
  const widths = all[0]?.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0))) ?? []
  return all.map(row =>
    row
      .map((cell, column) => (column < 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
}

function withUnit(value: number, metric: string): string {
  const unit = unitOf(metric)
  if (unit === 'bytes') return Math.abs(value) < 1e5 ? `${short(value)} B` : `${short(value / 1e6)} MB`
  return `${short(value)} ${unit}`.trimEnd()
}

function short(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
