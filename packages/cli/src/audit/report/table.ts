import { printable } from '../../one-line.ts'
import type { MemorySample } from '../process/memory-samples.ts'
import { adviceUrl } from './advice.ts'
import { bytesText } from './bytes-text.ts'
import { columns, lines } from './columns.ts'
import { findingText } from './findings.ts'
import type { AuditReport } from './report.ts'

/** A report for people. */
export function reportTable(report: AuditReport): string {
  const { seconds, collections, byName, patches, refusals, rest, others, findings } = report
  const parts = [
    columns(
      ['LISTED OR WATCHED', 'SCOPE', 'SELECTOR', 'LISTS', 'WATCHES', 'OBJECTS', 'USED', 'BYTES', 'ONCE', 'RELISTS'],
      collections.map(one => [
        ...[one.resource, one.namespace || 'cluster', one.selector || '-', `${one.lists}`, `${one.watches}`],
        ...[`${one.objects}`, `${one.used} of ${one.distinct}`, bytesText(one.bytes), bytesText(one.onceBytes)],
        Object.entries(one.relists)
          .map(([reason, times]) => `${times} ${reason}`)
          .join(', ') || '-',
      ]),
    ),
    columns(
      ['BY NAME', 'GETS', 'A MINUTE', 'CREATES', 'UPDATES', 'PATCHES', 'DELETES', 'UNCHANGED', 'BYTES'],
      byName.map(one => [
        ...[one.resource, `${one.get}`, `${one.getsPerMinute}`, `${one.create}`, `${one.update}`, `${one.patch}`],
        ...[`${one.delete}`, `${one.unchanged}`, bytesText(one.bytes)],
      ]),
    ),
    columns(
      ['PATCHED', 'MANAGER', 'TYPE', 'TIMES', 'UNCHANGED'],
      patches.map(one => [one.resource, one.manager, one.type, `${one.times}`, `${one.unchanged}`]),
    ),
    columns(
      ['REFUSED', 'VERB', 'STATUS', 'SCOPE', 'TIMES'],
      refusals.map(one => [one.resource, one.verb, `${one.status}`, one.namespace || 'cluster', `${one.times}`]),
    ),
    columns(
      ['AT REST', 'TIMES', 'SECONDS'],
      (rest?.requests ?? []).map(one => [one.request, `${one.times}`, `${rest?.seconds}`]),
    ),
    lines(
      memoryText(report),
      ...gameText(report),
      `${others.requests} other requests (discovery, schemas, health) in ${Math.round(seconds)} s.`,
    ),
    findings.length === 0
      ? 'Nothing was found.\n'
      : lines('Findings:', ...findings.flatMap(one => [`- ${findingText(one)}`, `  ${adviceUrl(one)}`])),
  ]
  return printable(parts.filter(Boolean).join('\n'))
}

function memoryText({ memory }: AuditReport): string {
  const [first] = memory
  const last = memory.at(-1)
  const most = mostMemory(memory)
  if (first === undefined || last === undefined || most === undefined) return 'Its memory is not known.'
  return `Memory (RSS) of the command and its children: ${bytesText(first.rssBytes)} at first, ${bytesText(most.rssBytes)} at most (second ${Math.round(most.second)}), ${bytesText(last.rssBytes)} at last.`
}

function gameText({ game }: AuditReport): readonly string[] {
  if (game === undefined) return []
  const { counts, namespace, received, rssBeforeBytes, rssMostBytes, rssAfterBytes } = game
  const objects = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`)
  const bytes = received.reduce((sum, one) => sum + one.bytes, 0)
  return [
    `Game in ${namespace}: ${objects.join(', ')}. The program received ${bytesText(bytes)} of them. Memory: ${bytesText(rssBeforeBytes)} before, ${bytesText(rssMostBytes)} at most, ${bytesText(rssAfterBytes)} after.`,
  ]
}

/** The sample with the most memory, if there is a sample. */
export function mostMemory([first, ...others]: readonly MemorySample[]): MemorySample | undefined {
  return first && others.reduce((one, other) => (other.rssBytes > one.rssBytes ? other : one), first)
}
