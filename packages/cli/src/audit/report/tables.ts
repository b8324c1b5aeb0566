import { bytesText } from './bytes-text.ts'
import type { Row } from './columns.ts'
import type { AuditReport } from './report.ts'

/** A table of texts. */
export interface Table {
  readonly head: Row
  readonly rows: readonly Row[]
}

/** The tables of a report, including those without rows. */
export function tablesOf({ collections, byName, patches, refusals, rest }: AuditReport): readonly Table[] {
  return [
    {
      head: [
        'LISTED OR WATCHED',
        'SCOPE',
        'SELECTOR',
        'LISTS',
        'WATCHES',
        'OBJECTS',
        'USED',
        'BYTES',
        'ONCE',
        'RELISTS',
      ],
      rows: collections.map(one => [
        ...[one.resource, one.namespace || 'cluster', one.selector || '-', `${one.lists}`, `${one.watches}`],
        ...[`${one.objects}`, `${one.used} of ${one.distinct}`, bytesText(one.bytes), bytesText(one.onceBytes)],
        Object.entries(one.relists)
          .map(([reason, times]) => `${times} ${reason}`)
          .join(', ') || '-',
      ]),
    },
    {
      head: ['BY NAME', 'GETS', 'A MINUTE', 'CREATES', 'UPDATES', 'PATCHES', 'DELETES', 'UNCHANGED', 'BYTES'],
      rows: byName.map(one => [
        ...[one.resource, `${one.get}`, `${one.getsPerMinute}`, `${one.create}`, `${one.update}`, `${one.patch}`],
        ...[`${one.delete}`, `${one.unchanged}`, bytesText(one.bytes)],
      ]),
    },
    {
      head: ['PATCHED', 'MANAGER', 'TYPE', 'TIMES', 'UNCHANGED'],
      rows: patches.map(one => [one.resource, one.manager, one.type, `${one.times}`, `${one.unchanged}`]),
    },
    {
      head: ['REFUSED', 'VERB', 'STATUS', 'SCOPE', 'TIMES'],
      rows: refusals.map(one => [one.resource, one.verb, `${one.status}`, one.namespace || 'cluster', `${one.times}`]),
    },
    {
      head: ['AT REST', 'TIMES', 'SECONDS'],
      rows: (rest?.requests ?? []).map(one => [one.request, `${one.times}`, `${rest?.seconds}`]),
    },
  ]
}
