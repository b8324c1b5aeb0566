import { printable } from '../../one-line.ts'
import type { MemorySample } from '../process/memory-samples.ts'
import { adviceUrl } from './advice.ts'
import { bytesText } from './bytes-text.ts'
import { columns, lines } from './columns.ts'
import { findingText } from './findings.ts'
import type { AuditReport } from './report.ts'
import { tablesOf } from './tables.ts'

/** A report for people. */
export function reportTable(report: AuditReport): string {
  const { findings } = report
  const parts = [
    ...tablesOf(report).map(({ head, rows }) => columns(head, rows)),
    lines(...factsOf(report)),
    findings.length === 0
      ? 'Nothing was found.\n'
      : lines('Findings:', ...findings.flatMap(one => [`- ${findingText(one)}`, `  ${adviceUrl(one)}`])),
  ]
  return printable(parts.filter(Boolean).join('\n'))
}

/** The facts of a report, in sentences. */
export function factsOf(report: AuditReport): readonly string[] {
  const { others, seconds } = report
  const requests = `${others.requests} other requests (discovery, schemas, health) in ${Math.round(seconds)} s.`
  return [memoryText(report), ...gameText(report), requests]
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

/** The sample with the most memory; `undefined` without samples. */
export function mostMemory([first, ...others]: readonly MemorySample[]): MemorySample | undefined {
  return first && others.reduce((one, other) => (other.rssBytes > one.rssBytes ? other : one), first)
}
