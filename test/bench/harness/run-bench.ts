import type { Bench, Metrics, ServerAddress, Subject } from './bench.ts'
import { unitOf } from './bench.ts'
import { startChild } from './child.ts'
import type { Summary } from './statistics.ts'
import { summarise } from './statistics.ts'
import type { Order } from './subject-entry.ts'
import { fixedWork } from './work.ts'

/** How a bench is run. */
export interface RunOptions {
  readonly objects: number
  /** Runs of each subject. */
  readonly runs: number
  /** A run of a subject past this fails. @default the bench's own, else 120_000 */
  readonly runTimeoutMs?: number | undefined
  /** Whether the fixed work is measured, too. @default true */
  readonly fixedWork?: boolean | undefined
  /** Receives the progress, line by line. */
  readonly onProgress?: ((line: string) => void) | undefined
}

/** One figure: a line of `--json`. */
export interface Figure {
  readonly bench: string
  readonly input: string
  readonly subject: string
  readonly metric: string
  readonly summary: Summary
}

/** A subject that failed, and how. Its other runs, if any, are dropped. */
export interface Failure {
  readonly subject: string
  readonly error: Error
}

/** What a run of a bench came to. */
export interface Outcome {
  readonly bench: Bench
  readonly objects: number
  /** How long the fixed work took, in milliseconds, once a round. Absent if it was not measured. */
  readonly workMs?: Summary | undefined
  readonly figures: readonly Figure[]
  readonly failures: readonly Failure[]
}

const SUBJECT_ENTRY = new URL('./subject-entry.ts', import.meta.url)
const SERVER_ENTRY = new URL('../server/server-entry.ts', import.meta.url)

/**
 * Runs every subject `runs` times, by turns (A B C A B C …), each in a process of its own, so that what
 * else the machine does falls on all alike. A subject that fails is reported and not run again.
 */
export async function runBench(bench: Bench, options: RunOptions): Promise<Outcome> {
  const { objects, runs, runTimeoutMs = bench.runTimeoutMs ?? 120_000, onProgress } = options
  const results = new Map<Subject, Metrics[]>(bench.subjects.map(subject => [subject, []]))
  const failures: Failure[] = []
  const workMs: number[] = []
  const server = bench.server && startChild(SERVER_ENTRY, 'the API server')
  try {
    let address: ServerAddress | undefined
    if (server) {
      onProgress?.(`${bench.name}: filling the API server with ${objects} objects`)
      address = (await server.ask({ ...bench.server, objects }, runTimeoutMs)) as ServerAddress
    }
    for (let run = 1; run <= runs; run++) {
      if (options.fixedWork !== false) {
        onProgress?.(`${bench.name}: run ${run} of ${runs}, the fixed work`)
        const { parse_ms = Number.NaN } = await measureOnce(fixedWork, { objects, timeoutMs: runTimeoutMs })
        workMs.push(parse_ms)
      }
      for (const [subject, metrics] of results) {
        onProgress?.(`${bench.name}: run ${run} of ${runs}, ${subject.name}`)
        try {
          metrics.push(await measureOnce(subject, { objects, server: address, timeoutMs: runTimeoutMs }))
        } catch (error) {
          failures.push({ subject: subject.name, error: error as Error })
          results.delete(subject)
        }
      }
    }
  } finally {
    await server?.close()
  }
  const figures = figuresOf(bench, objects, results)
  const all = { bench, objects, failures, figures: [...figures, ...bestOf(bench, figures)] }
  return workMs.length === 0 ? all : { ...all, workMs: summarise(workMs) }
}

/** Runs one subject once. */
export async function measureOnce(
  subject: Subject,
  options: { readonly objects: number; readonly server?: ServerAddress | undefined; readonly timeoutMs: number },
): Promise<Metrics> {
  const child = startChild(SUBJECT_ENTRY, subject.name, subject.nodeOptions)
  try {
    const order: Order = {
      module: subject.module.href,
      objects: options.objects,
      options: subject.options ?? {},
      server: options.server,
    }
    const { metrics } = (await child.ask(order, options.timeoutMs)) as { readonly metrics: Metrics }
    for (const metric of subject.metrics) {
      if (!Number.isFinite(metrics[metric])) throw new Error(`${subject.name} gave no ${metric}`)
    }
    return metrics
  } finally {
    await child.close()
  }
}

function figuresOf(bench: Bench, objects: number, results: ReadonlyMap<Subject, readonly Metrics[]>): Figure[] {
  const figures: Figure[] = []
  for (const [subject, all] of results) {
    for (const metric of subject.metrics) {
      if (all.length === 0) continue
      figures.push({
        bench: bench.name,
        input: subject.input ?? `${bench.of}-${objects}`,
        subject: subject.name,
        metric,
        summary: summarise(all.map(each => each[metric] as number)),
      })
    }
  }
  return figures
}

function bestOf({ best }: Bench, figures: readonly Figure[]): Figure[] {
  const peers = figures.filter(({ subject }) => best?.of.includes(subject))
  return [...Map.groupBy(peers, ({ metric }) => metric)].flatMap(([metric, all]) => {
    if (best === undefined || all.length < best.of.length) return []
    const sorted = all.toSorted((a, b) => a.summary.median - b.summary.median)
    const first = metric.endsWith('_per_s') ? sorted.at(-1) : sorted[0]
    return first === undefined ? [] : [{ ...first, subject: best.name }]
  })
}

/**
 * A time or a rate as a multiple of the fixed work, so that figures of two machines can be compared: a time is divided by that of the work; a rate is how much
 * is done in the time of the work. `undefined` for other figures.
 */
export function inWork(metric: string, value: number, workMs: number | undefined): number | undefined {
  if (workMs === undefined) return undefined
  const unit = unitOf(metric)
  if (unit === 'ms') return value / workMs
  if (unit === 'us') return value / (workMs * 1000)
  return unit.endsWith('/s') ? (value * workMs) / 1000 : undefined
}

/** A figure as `--json` prints it. */
export function jsonLine({ bench, input, subject, metric, summary }: Figure, workMs?: number): string {
  const { median, min, max, runs } = summary
  const rounded = (value: number): number => Number(value.toPrecision(6))
  const ratio = inWork(metric, median, workMs)
  return JSON.stringify({
    bench,
    input,
    subject,
    metric,
    ...(ratio !== undefined && { work: rounded(ratio) }),
    value: rounded(median),
    min: rounded(min),
    max: rounded(max),
    runs,
    unit: unitOf(metric),
  })
}
