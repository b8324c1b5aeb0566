import { printable } from '../../one-line.ts'
import { findingText } from './findings.ts'
import type { AuditReport } from './report.ts'

type Row = readonly string[]

/** A report for people. */
export function reportTable(report: AuditReport): string {
  const { seconds, collections, byName, patches, refusals, rest, others, findings } = report
  const parts = [
    table(
      ['LISTED OR WATCHED', 'SCOPE', 'SELECTOR', 'LISTS', 'WATCHES', 'OBJECTS', 'USED', 'BYTES', 'ONCE', 'RELISTS'],
      collections.map(one => [
        ...[one.resource, one.namespace || 'cluster', one.selector || '-', `${one.lists}`, `${one.watches}`],
        ...[`${one.objects}`, `${one.used} of ${one.distinct}`, bytesText(one.bytes), bytesText(one.onceBytes)],
        Object.entries(one.relists)
          .map(([reason, times]) => `${times} ${reason}`)
          .join(', ') || '-',
      ]),
    ),
    table(
      ['BY NAME', 'GETS', 'A MINUTE', 'CREATES', 'UPDATES', 'PATCHES', 'DELETES', 'UNCHANGED', 'BYTES'],
      byName.map(one => [
        ...[one.resource, `${one.get}`, `${one.getsPerMinute}`, `${one.create}`, `${one.update}`, `${one.patch}`],
        ...[`${one.delete}`, `${one.unchanged}`, bytesText(one.bytes)],
      ]),
    ),
    table(
      ['PATCHED', 'MANAGER', 'TYPE', 'TIMES', 'UNCHANGED'],
      patches.map(one => [one.resource, one.manager, one.type, `${one.times}`, `${one.unchanged}`]),
    ),
    table(
      ['REFUSED', 'VERB', 'STATUS', 'SCOPE', 'TIMES'],
      refusals.map(one => [one.resource, one.verb, `${one.status}`, one.namespace || 'cluster', `${one.times}`]),
    ),
    table(
      ['AT REST', 'TIMES', 'SECONDS'],
      (rest?.requests ?? []).map(one => [one.request, `${one.times}`, `${rest?.seconds}`]),
    ),
    lines(
      memoryText(report),
      `${others.requests} other requests (discovery, schemas, health) in ${Math.round(seconds)} s.`,
    ),
    findings.length === 0
      ? 'Nothing was found.\n'
      : lines('Findings:', ...findings.map(one => `- ${findingText(one)}`)),
  ]
  return printable(parts.filter(Boolean).join('\n'))
}

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`

function memoryText({ memory }: AuditReport): string {
  const [first] = memory
  const last = memory.at(-1)
  if (first === undefined || last === undefined) return 'Its memory is not known.'
  const most = memory.reduce((one, other) => (other.rssBytes > one.rssBytes ? other : one))
  return `Memory (RSS) of the command and its children: ${bytesText(first.rssBytes)} at first, ${bytesText(most.rssBytes)} at most (second ${most.second}), ${bytesText(last.rssBytes)} at last.`
}

function table(head: Row, rows: readonly Row[]): string {
  if (rows.length === 0) return ''
  const all = [head, ...rows]
  const widths = head.map((_, column) => all.reduce((most, row) => Math.max(most, (row[column] ?? '').length), 0))
  return lines(
    ...all.map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
  )
}

/** Three digits at most: `12 B`, `3.4 kB`, `56 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
