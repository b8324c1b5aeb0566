import type { InformerState } from '@wherry/informer'
import type { Entry, WhenUnknown } from './entry.ts'
import { informerCells, tableLines } from './report-text.ts'

/** A summary of one informer of a dynamic cache. */
export interface InformerReport {
  /** The view's key. */
  readonly view: string
  readonly state: InformerState
  readonly synced: boolean
  /** The option `whenUnknown` of the resource. */
  readonly whenUnknown: WhenUnknown
  readonly objects: number
  /** How many of these objects could not be transformed. */
  readonly failed: number
  /** The size of the stored objects, in bytes as received. */
  readonly receivedBytes: number
  /** The number of handlers. */
  readonly registrations: number
  readonly cursors: number
  /** The names of the holders, each once. */
  readonly holders: readonly string[]
  /** Whether `informer()` or a read asked for the view, and not only a hold. */
  readonly asked: boolean
  /** The informer's age, in milliseconds. */
  readonly ageMs: number
  /** The last failure to list or watch, unless a later watch was opened. */
  readonly lastError: Error | undefined
}

/** A summary of a dynamic cache. `toString` gives a table for people. */
export interface CacheReport {
  readonly informers: readonly InformerReport[]
  /** Watches that are open or being opened. */
  readonly watches: number
  toString(): string
}

export function reportOf(entries: Iterable<Entry>, watches: number, now: number): CacheReport {
  const informers = [...entries].map(entry => rowOf(entry, now)).toSorted((a, b) => (a.view < b.view ? -1 : 1))
  const report = { informers, watches }
  return Object.defineProperty(report, 'toString', { value: () => textOf(report) })
}

function rowOf(entry: Entry, now: number): InformerReport {
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
  const rows = informers.map(one => {
    const { state, objects, received, heldBy } = informerCells(one)
    const age = `${Math.floor(one.ageMs / 1000)} s`
    return [one.view, state, objects, received, `${one.registrations}`, `${one.cursors}`, age, heldBy]
  })
  return [...tableLines([head, ...rows]), `${informers.length} informers, ${watches} watches`].join('\n')
}
