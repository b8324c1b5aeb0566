import type { MemoryReplay } from '../replay.ts'
import type { MemoryRow } from './play.ts'
import { type Column, markdownTable, metCell, plainTable } from './table.ts'

const mb = (bytes: number): string => (bytes / 1e6).toFixed(Math.abs(bytes) < 10e6 ? 1 : 0)

const columns: readonly Column[] = [
  { head: 'Program' },
  { head: 'objects', align: 'right' },
  { head: 'RSS, MB', align: 'right' },
  { head: 'above idle, MB', align: 'right' },
  { head: 'peak, MB', align: 'right' },
  { head: 'ready, s', align: 'right' },
  { head: 'bar' },
]

function cellsOf(row: MemoryRow, isMarkdown: boolean): string[] {
  const name = row.program.startsWith('wherry') && isMarkdown ? `**${row.program}**` : row.program
  const [peak, seconds] = [mb(row.peakBytes), (row.readyMs / 1000).toFixed(1)]
  if (row.failed !== undefined) return [name, `${row.size}`, '', '', peak, '', row.failed]
  const above = row.size === 0 ? '' : mb(row.aboveIdleBytes)
  return [name, `${row.size}`, mb(row.rssBytes), above, peak, seconds, metCell(row.isMet)]
}

/** A case of memory as a section of docs/replays.md, with its table. */
export function memoryTable(replay: MemoryReplay, rows: readonly MemoryRow[], isMarkdown: boolean): string {
  const lines = rows.map(row => cellsOf(row, isMarkdown))
  if (!isMarkdown) return [`${replay.id} ${replay.title}`, plainTable(columns, lines), ''].join('\n')
  const first = rows
    .filter(({ getMs }) => getMs > 0)
    .map(
      ({ program, firstMs, getMs }) =>
        `- First reconcile of ${program}: ${firstMs.toFixed(1)} ms; one GET: ${getMs.toFixed(1)} ms.`,
    )
  const { thread, story, inputs, assumed, theirs, ways } = replay
  const bars = ways.flatMap(({ name, bar }) => {
    if (bar === undefined) return []
    const peak = bar.peakTimes === undefined ? '' : `, peak at most ${bar.peakTimes} × settled`
    const times = bar.firstTimesGet === undefined ? '' : `, first reconcile at most ${bar.firstTimesGet} × one GET`
    return [`${name}: at most ${mb(bar.aboveIdleBytes)} MB above idle${peak}${times}`]
  })
  return [
    `### ${replay.id}`,
    `**${replay.title}** ([thread](${thread})).\n${story.join(' ')}`,
    [
      `- Inputs: ${inputs}.`,
      `- Assumed: ${assumed}.`,
      `- Theirs: ${theirs.before}; mended: ${theirs.after}.`,
      `- Bar: ${bars.join('; ')}.`,
      `- Runs of each program: ${Math.max(...rows.map(({ runs }) => runs))}.`,
      ...first,
      ...ways.map(({ name, holds }) => `- *${name}* holds ${holds}.`),
    ].join('\n'),
    markdownTable(columns, lines),
    '',
  ].join('\n\n')
}
