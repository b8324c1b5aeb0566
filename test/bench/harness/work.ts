import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { configMaps } from '@wherry/data'
import type { Metrics, Subject, SubjectContext } from './bench.ts'

/** What {@link work} measures. */
type Work = 'cycles_per_s' | 'parse_ms' | 'parse_mb_per_s' | 'pieces_per_s' | 'start_ms'

/**
 * A fixed piece of work, as a subject of a bench: what it takes says how fast the machine is just now, and a target is so many times that.
 *
 * - `cycles_per_s`: how often a plain loop puts one of 10,000 keys, each a new text, into a Map, finds it and deletes it.
 * - `parse_ms`: how long `JSON.parse` takes for 1 MB of ConfigMaps, one by one, each from the bytes that a server sends; `parse_mb_per_s`: the same
 *   as a rate.
 * - `pieces_per_s`: how many {@link pieceOfWork} are done, of the kind that a server does.
 * - `start_ms`: how long a Node takes that starts and ends, with nothing to do.
 */
export function work(...metrics: readonly Work[]): Subject {
  return {
    name: 'work',
    module: new URL(import.meta.url),
    metrics,
    input: 'fixed',
    options: { metrics: metrics.join() },
  }
}

/** The work that each bench measures once a round: `JSON.parse` of 1 MB. */
export const fixedWork: Subject = work('parse_ms')

const KEYS = 10_000
/** As long as a measurement takes, in milliseconds: what else the machine does falls on many rounds, and their median leaves it out. */
const MEASURE_MS = 1000

const measures: Readonly<Record<Work, () => number>> = {
  cycles_per_s: () => KEYS / (median(cycles) / 1000),
  parse_ms: () => median(parser()),
  parse_mb_per_s: () => 1000 / median(parser()),
  pieces_per_s: () => {
    let seed = 0
    return 1000 / median(() => pieceOfWork(seed++))
  },
  start_ms: () => median(() => spawnSync(process.execPath, ['--eval', ''])),
}

export function run({ options }: SubjectContext): Promise<Metrics> {
  const metrics = String(options.metrics).split(',') as Work[]
  return Promise.resolve(Object.fromEntries(metrics.map(metric => [metric, measures[metric]()])))
}

/** Always the same work, of the kind that a server does: JSON, maps, strings, a hash. */
export function pieceOfWork(seed: number): number {
  const known = new Map<string, string>()
  for (let step = 0; step < 400; step++) {
    const name = `c${(seed * 31 + step * 17) % 40}`
    const labels = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`label-${i}`, `${step}-${i}`]))
    const text = JSON.stringify({ kind: 'ConfigMap', metadata: { name, labels }, data: { value: `${seed}.${step}` } })
    const object = JSON.parse(text) as { metadata: { labels: Record<string, string> } }
    const sorted = Object.keys(object.metadata.labels).sort().join()
    known.set(
      name,
      createHash('sha256')
        .update(`${known.get(name) ?? ''}${text}${sorted}`)
        .digest('base64url'),
    )
  }
  return known.size
}

function cycles(): void {
  const map = new Map<string, number>()
  for (let index = 0; index < KEYS; index++) {
    map.set(`namespace-${index % 50}/object-${index}`, index)
    const key = `namespace-${(index * 7) % 50}/object-${Math.max(0, index - 100)}`
    if (map.get(key) !== undefined) map.delete(key)
  }
}

function parser(): () => void {
  const bytes: Buffer[] = []
  let length = 0
  for (const object of configMaps({ count: 1000 })) {
    const one = Buffer.from(JSON.stringify(object))
    if (length + one.length > 1e6) break
    length += one.length
    bytes.push(one)
  }
  let kept: unknown[] = []
  return () => {
    kept = bytes.map(one => JSON.parse(one.toString('utf8')) as unknown)
    if (kept.length === 0) throw new Error('nothing was parsed')
  }
}

/** Milliseconds that a piece of work takes, after as many rounds for the compiler. */
function median(piece: () => unknown): number {
  const measured = (): number[] => {
    const times: number[] = []
    for (const end = performance.now() + MEASURE_MS; performance.now() < end; ) {
      const begin = performance.now()
      piece()
      times.push(performance.now() - begin)
    }
    return times.sort((a, b) => a - b)
  }
  measured()
  const times = measured()
  return times[times.length >> 1] as number
}
