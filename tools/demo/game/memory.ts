import { readFileSync } from 'node:fs'

/** Bytes of a process after a full collection. */
export interface Memory {
  readonly rss: number
  /** Anonymous RSS: without the pages of files, which are shared. As `rss` where the system does not say. */
  readonly anonymous: number
  /** Of JavaScript, external memory and buffers included. */
  readonly heap: number
  /** The greatest RSS until then. */
  readonly peakRss: number
}

type LastResort = (options: {
  readonly type: 'major'
  readonly execution: 'sync'
  readonly flavor: 'last-resort'
}) => void

/** The RSS of this process as it is, in bytes. */
export function memoryNow(): number {
  return process.memoryUsage.rss()
}

/** Collects all garbage, gives the memory back to the system, and reads the rest. Needs `--expose-gc`. */
export function settledMemory(): Memory {
  const peakRss = kilobytes('/proc/self/status', 'VmHWM') ?? process.resourceUsage().maxRSS * 1024
  const { gc } = globalThis as { readonly gc?: LastResort | undefined }
  // A plain collection keeps the pages.
  gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  const { heapUsed, external, rss } = process.memoryUsage()
  return {
    rss,
    anonymous: kilobytes('/proc/self/smaps_rollup', 'Anonymous') ?? rss,
    heap: heapUsed + external,
    peakRss,
  }
}

/** A line `Name:   123 kB` of a file under /proc, in bytes; undefined where there is none. */
function kilobytes(path: string, name: string): number | undefined {
  if (process.platform !== 'linux') return undefined
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(path, 'utf8'))
  return found ? Number(found[1]) * 1024 : undefined
}
