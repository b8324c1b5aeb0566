import type { InformerState } from '@wherry/informer/internal'
import type { Entry, WhenUnknown } from './entry.ts'

/** What a dynamic cache says of one of its informers. */
export interface InformerReport {
  /** The view's key. */
  readonly view: string
  readonly state: InformerState
  readonly synced: boolean
  /** What is done about a resource that the server does not know, as the cache's options have it. */
  readonly whenUnknown: WhenUnknown
  readonly objects: number
  /** Of those, the ones that could not be transformed. */
  readonly failed: number
  /** Bytes of the stored objects, as received. */
  readonly receivedBytes: number
  /** Handlers. */
  readonly registrations: number
  readonly cursors: number
  /** Who holds it, each once; and whether somebody asked for it besides. */
  readonly holders: readonly string[]
  readonly asked: boolean
  /** Since when it is there, in milliseconds. */
  readonly ageMs: number
  /** The last failure to list or watch, if no watch was opened after it. */
  readonly lastError: Error | undefined
}

/** What a dynamic cache holds at present. `toString` gives a table for people. */
export interface CacheReport {
  readonly informers: readonly InformerReport[]
  /** Streams that are open, or being opened. */
  readonly watches: number
  toString(): string
}

export function reportOf(entries: Iterable<Entry>, watches: number, now: number): CacheReport {
  const informers = [...entries].map(entry => oneOf(entry, now)).toSorted((a, b) => (a.view < b.view ? -1 : 1))
  const report = { informers, watches }
  return Object.defineProperty(report, 'toString', { value: () => textOf(report) })
}

function oneOf(entry: Entry, now: number): InformerReport {
  const { objects, failed, receivedBytes, registrations, cursors } = entry.store.stats()
  return {
    view: entry.view.key,
    state: entry.state,
    synced: entry.hasSynced,
    whenUnknown: entry.whenUnknown,
    objects,
    failed,
    receivedBytes,
    registrations,
    cursors,
    holders: entry.holders,
    asked: entry.asked,
    ageMs: now - entry.since,
    lastError: entry.lastError,
  }
}

function textOf({ informers, watches }: Omit<CacheReport, 'toString'>): string {
  const head = ['VIEW', 'STATE', 'OBJECTS', 'RECEIVED', 'HANDLERS', 'CURSORS', 'AGE', 'HELD BY']
  const rows = informers.map(one => [
    one.view,
    one.synced ? one.state : `${one.state}, not synced`,
    one.failed === 0 ? `${one.objects}` : `${one.objects} (${one.failed} failed)`,
    `${(one.receivedBytes / 1e6).toFixed(1)} MB`,
    `${one.registrations}`,
    `${one.cursors}`,
    `${Math.floor(one.ageMs / 1000)} s`,
    [...one.holders, ...(one.lastError === undefined ? [] : [`! ${one.lastError.message}`])].join(', '),
  ])
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map(row => (row[column] ?? '').length)))
  const lines = [head, ...rows].map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return [...lines.map(line => line.trimEnd()), `${informers.length} informers, ${watches} watches`].join('\n')
}
