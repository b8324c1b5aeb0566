import { readFileSync } from 'node:fs'
import type { MemoryReading } from './bench.ts'

type LastResort = (options: {
  readonly type: 'major'
  readonly execution: 'sync'
  readonly flavor: 'last-resort'
}) => void

/**
 * Collects all garbage and gives the memory back to the system. (A plain `gc()` keeps it.)
 * Throws in a process without `--expose-gc`.
 */
export function collect(): void {
  const gc = (globalThis as { readonly gc?: LastResort | undefined }).gc
  if (gc === undefined) throw new Error('started without --expose-gc')
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Reads memory after {@link collect}, `process.memoryUsage().rss` and, on Linux, the anonymous part of it. */
export function readMemory(): MemoryReading {
  collect()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed, external, rss, anonymous: kilobytes('/proc/self/smaps_rollup', 'Anonymous') ?? rss }
}

/**
 * The greatest RSS that this process had, in bytes. On Linux from VmHWM: `maxRSS` there can be the
 * greater one of the process that started it.
 */
export function peakRss(): number {
  return kilobytes('/proc/self/status', 'VmHWM') ?? process.resourceUsage().maxRSS * 1024
}

/** What lies above the process's own start, now and at its peak; the heap with external memory: buffers are outside it. */
export function memoryAbove(start: MemoryReading): {
  readonly heap_bytes: number
  readonly rss_bytes: number
  readonly anonymous_bytes: number
  readonly peak_rss_bytes: number
} {
  const peak = peakRss()
  const now = readMemory()
  return {
    heap_bytes: now.heap + now.external - start.heap - start.external,
    rss_bytes: now.rss - start.rss,
    anonymous_bytes: now.anonymous - start.anonymous,
    peak_rss_bytes: peak - start.rss,
  }
}

/** A line `Name:   123 kB` of a file under /proc, in bytes; undefined where there is none. */
function kilobytes(path: string, name: string): number | undefined {
  if (process.platform !== 'linux') return undefined
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(path, 'utf8'))
  return found ? Number(found[1]) * 1024 : undefined
}
