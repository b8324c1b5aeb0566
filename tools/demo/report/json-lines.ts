import { type Game, median } from './game.ts'

/** The lines of `--json`: the benchmarks' own, of bench `demo`, each of one run. */
export function jsonLines({ played, neededBytes, filling }: Game): string[] {
  const input = `configmaps-${filling.objects}`
  const line = (subject: string, metric: string, values: readonly number[]): string => {
    const [value, min, max] = [median(values), Math.min(...values), Math.max(...values)].map(rounded)
    return JSON.stringify({ bench: 'demo', input, subject, metric, value, min, max, runs: 1, unit: unitOf(metric) })
  }
  return [
    line('objects', 'needed_bytes', [neededBytes]),
    ...played.flatMap(({ mode, memory, reactMs, ...one }) => [
      line(mode, 'rss_bytes', [memory.rss]),
      line(mode, 'anon_bytes', [memory.anonymous]),
      line(mode, 'heap_bytes', [memory.heap]),
      line(mode, 'peak_rss_bytes', [memory.peakRss]),
      line(mode, 'received_bytes', [one.receivedBytes]),
      line(mode, 'unrelated_bytes', [one.unrelatedBytes]),
      line(mode, 'requests', [one.requests]),
      line(mode, 'ready_ms', [one.readyMs]),
      ...(reactMs.length === 0 ? [] : [line(mode, 'react_ms', reactMs)]),
      line(mode, 'right', [one.isRight ? 1 : 0]),
    ]),
  ]
}

const rounded = (value: number): number => Number(value.toPrecision(6))

function unitOf(metric: string): string {
  if (metric.endsWith('_bytes')) return 'bytes'
  return metric.endsWith('_ms') ? 'ms' : ''
}
