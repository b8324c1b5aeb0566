import type { MemoryReplay } from '../replay.ts'
import type { Row } from './play.ts'

const mb = (bytes: number): string => (bytes / 1e6).toFixed(Math.abs(bytes) < 10e6 ? 1 : 0)

/** The rows, each as one JSON object. */
export function jsonLines(rows: readonly Row[]): string[] {
  return rows.map(row => JSON.stringify(row))
}

/** What {@link jsonLines} gave, read again. */
export function rowsIn(text: string): Row[] {
  return text
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Row)
}

/** A case as a section of docs/replays.md, with its table. */
export function tableOf(replay: MemoryReplay, rows: readonly Row[], isMarkdown: boolean): string {
  const head = ['Program', 'objects', 'RSS, MB', 'above idle, MB', 'peak, MB', 'ready, s', 'bar']
  const cells = rows.map(row => {
    const name = row.program.startsWith('wherry') && isMarkdown ? `**${row.program}**` : row.program
    const figures = [mb(row.rssBytes), row.size === 0 ? '' : mb(row.aboveIdleBytes), mb(row.peakBytes)]
    const bar = row.isMet === undefined ? '' : row.isMet ? 'met' : 'MISSED'
    return [name, `${row.size}`, ...figures, (row.readyMs / 1000).toFixed(1), bar]
  })
  if (!isMarkdown) {
    const all = [head, ...cells]
    const widths = head.map((_, i) => Math.max(...all.map(line => line[i]?.length ?? 0)))
    const lines = all.map(line =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    return [`${replay.id} ${replay.title}`, ...lines, ''].join('\n')
  }
  const compared = rows.filter(({ getMs }) => getMs > 0)
  const first = compared.map(
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
      ...first,
      ...ways.map(({ name, holds }) => `- *${name}* holds ${holds}.`),
    ].join('\n'),
    [
      `| ${head.join(' | ')} |`,
      '| --- | --: | --: | --: | --: | --: | --- |',
      ...cells.map(line => `| ${line.join(' | ')} |`),
    ].join('\n'),
    '',
  ].join('\n\n')
}
