import type { CacheReport } from '@wherry/dynamic-cache'
import { informerCells, megabytes, tableLines } from '@wherry/dynamic-cache/internal'
import type { NarrowReport } from '@wherry/narrow-cache'
import { viewText } from '../controller/view-text.ts'

/** The objects that an operator holds. `toString` returns tables for people, with the size of the objects as received. */
export interface OperatorReport extends CacheReport {
  /** The objects that `read.get` reads by name: each has a watch of its own, or shares a watch of metadata. */
  readonly narrow: NarrowReport
}

export function operatorReport({ informers, watches }: CacheReport, narrow: NarrowReport): OperatorReport {
  const report = { informers, watches, narrow }
  return Object.defineProperty(report, 'toString', { value: () => textOf(report) })
}

function textOf({ informers, watches, narrow }: Omit<OperatorReport, 'toString'>): string {
  const lists = informers.map(one => {
    const { state, objects, received, heldBy } = informerCells(one)
    return [viewText(one.view), state, objects, received, heldBy]
  })
  const reads = narrow.views.map(one => {
    const absent = one.entries - one.objects
    const objects = `${one.objects}${absent > 0 ? ` (${absent} more are absent)` : ''}`
    return [viewText(one.view), 'by name', objects, megabytes(one.receivedBytes), 'reads']
  })
  const head = ['VIEW', 'STATE', 'OBJECTS', 'RECEIVED', 'HELD BY']
  const sum = [...informers, ...narrow.views].reduce((bytes, one) => bytes + one.receivedBytes, 0)
  const opened = `${informers.length} informers, ${watches} watches, and ${narrow.streams} of single objects`
  return [...tableLines([head, ...lists, ...reads]), `${opened}; ${megabytes(sum)} in all`].join('\n')
}
