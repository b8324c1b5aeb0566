import { adviceAnchors } from '../../packages/cli/src/audit/report/advice.ts'
import { bytesText } from '../../packages/cli/src/audit/report/bytes-text.ts'
import type { Finding } from '../../packages/cli/src/audit/report/findings.ts'
import { type AuditReport, type CollectionReport, receivedBytesOf } from '../../packages/cli/src/audit/report/report.ts'
import { type Column, markdownTable, plainTable } from '../replays/harness/table.ts'
import type { AuditedProgram } from './audited-programs.ts'
import { findingName } from './play-audit.ts'

/** A program and the report of its audit. */
export interface AuditedRow {
  readonly program: AuditedProgram
  readonly report: AuditReport
}

const columns: readonly Column[] = [
  { head: 'Library' },
  { head: 'How it reads and writes' },
  { head: 'Lists and watches' },
  { head: 'Bytes received', align: 'right' },
  { head: 'Findings' },
  { head: 'Advice' },
]

/** The audited programs as a table, for a terminal or for `docs/audit.md`. */
export function programTable(rows: readonly AuditedRow[], isMarkdown: boolean): string {
  const code = (text: string): string => (isMarkdown ? `\`${text}\`` : text)
  const lines = rows.map(({ program: { library, reads }, report }) => {
    const advice = new Set(report.findings.map(finding => adviceOf(finding, isMarkdown)))
    return [
      library,
      isMarkdown ? reads : reads.replaceAll('`', ''),
      report.collections.map(one => watched(one, code)).join(', '),
      bytesText(receivedBytesOf(report)),
      report.findings.map(finding => code(findingName(finding))).join(', ') || 'none',
      [...advice].join(', '),
    ]
  })
  return (isMarkdown ? markdownTable : plainTable)(columns, lines)
}

function watched({ resource, selector }: CollectionReport, code: (text: string) => string): string {
  const [plural = ''] = resource.split('.')
  return selector === '' ? plural : `${plural} with ${code(selector)}`
}

/** The section of `docs/audit.md` about a finding. */
function adviceOf({ finding }: Finding, isMarkdown: boolean): string {
  const anchor = adviceAnchors[finding]
  const [first = '', ...rest] = anchor.replaceAll('-', ' ')
  return isMarkdown ? `[${first.toUpperCase()}${rest.join('')}](#${anchor})` : `docs/audit.md#${anchor}`
}
