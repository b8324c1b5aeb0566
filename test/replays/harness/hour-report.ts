import type { Row } from './case.ts'
import { type Hour, type HourReplay, TIMER_RUNS } from './hour.ts'
import { type Column, markdownTable, metCell, plainTable } from './table.ts'

/** An hour of one operator, as `--json` has it. */
export interface HourRow extends Row, Omit<Hour, 'requests'> {
  readonly title: string
  readonly thread: string
  readonly theirs: string
  readonly objects: number
  readonly minutes: number
  /** Whether the reconcile asks to run again: its runs follow from that. */
  readonly looksAgain: boolean
  readonly isMet: boolean
}

export function hourRow(replay: HourReplay, played: Hour & Pick<HourRow, 'objects' | 'minutes' | 'isMet'>): HourRow {
  const { id, title, thread, theirs, looksAgain = false } = replay
  const { objects, minutes, writes, reads, runsOfAKey, isMet } = played
  return { replay: id, title, thread, theirs, objects, minutes, writes, reads, runsOfAKey, looksAgain, isMet }
}

const columns: readonly Column[] = [
  { head: 'Case' },
  { head: 'Theirs' },
  { head: 'objects', align: 'right' },
  { head: 'minutes', align: 'right' },
  { head: 'writes', align: 'right' },
  { head: 'reads', align: 'right' },
  { head: 'runs of the busiest key', align: 'right' },
  { head: 'bar' },
]

/** The rows of K9 or K10. */
export function hourTable(rows: readonly HourRow[], isMarkdown: boolean): string {
  const link = ({ title, thread }: HourRow): string => {
    const isAddress = thread.startsWith('https://')
    if (!isMarkdown) return title
    return isAddress ? `[${title}](${thread})` : `${title} (${thread})`
  }
  const lines = rows.map(row => {
    const counts = [row.objects, row.minutes, row.writes, row.reads].map(count => count.toLocaleString('en'))
    const asked = row.looksAgain ? ', as it asks' : ''
    return [link(row), row.theirs, ...counts, `${row.runsOfAKey.toLocaleString('en')}${asked}`, metCell(row.isMet)]
  })
  const id = rows[0]?.replay ?? ''
  if (!isMarkdown) return [id, plainTable(columns, lines), ''].join('\n')
  return [`### ${id}`, notes[id] ?? '', bar, markdownTable(columns, lines), ''].join('\n\n')
}

const notes: Readonly<Record<string, string>> = {
  K9: 'Statuses that differ in a time alone, so that each write made the next run. A field that a status writes and the definition does not have is dropped by the server, so the status seems to differ: without `message` in the schema, 7 patches an hour that change nothing.',
  K10: 'Writes that a reconcile makes whatever is there: each is an event, and the event runs the reconcile.',
}

const bar = `- Bar: no write and no read in the hour, and at most two runs of a key besides the ${TIMER_RUNS} of a timer. If a reconcile asks to run again, its runs follow from that.`
