import type { WatchReplay } from '../k11/replay.ts'
import type { Row } from './case.ts'
import { barOf, type Figure, isMet } from './figure.ts'
import { type Column, markdownTable, metCell, plainTable } from './table.ts'

/** What became of a cause that broke watches, as `--json` has it. */
export interface WatchRow extends Row, Pick<WatchReplay, 'rule' | 'happened' | 'threads' | 'variant' | 'on'> {
  readonly figures: readonly Figure[]
  readonly isMet: boolean
}

export function watchRow({ rule, happened, threads, variant, on }: WatchReplay, figures: readonly Figure[]): WatchRow {
  return { replay: 'K11', rule, happened, threads, variant, on, figures, isMet: figures.every(isMet) }
}

const columns: readonly Column[] = [
  { head: 'Rule' },
  { head: 'What happened' },
  { head: 'Threads' },
  { head: 'Played' },
  { head: 'Wherry (bar)' },
  { head: 'bar' },
]

const shown = (value: number): string => (Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(1))

/** The rows of K11. */
export function watchTable(rows: readonly WatchRow[], isMarkdown: boolean): string {
  const lines = rows.map(row => {
    const rule = isMarkdown ? `[${row.rule}](guarantees/broken-watches.md#${row.rule.toLowerCase()})` : row.rule
    const figures = row.figures.map(one => `${one.what}: ${shown(one.value)} (${barOf(one)})`).join('; ')
    const played = row.variant === undefined ? row.on : `${row.on}, ${row.variant}`
    return [rule, row.happened, row.threads, played, figures, metCell(row.isMet)]
  })
  if (!isMarkdown) return ['K11', plainTable(columns, lines), ''].join('\n')
  return ['### K11', note, markdownTable(columns, lines), ''].join('\n\n')
}

const note =
  '*embedded*: the embedded server on simulated time, so that figures are the same on any machine. *real*: a kube-apiserver through a proxy that breaks connections, on the time of the machine.'
