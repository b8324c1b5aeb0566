import { bytesText } from '../../packages/cli/src/audit/report/bytes-text.ts'
import { drawn, type PlotLine } from '../../packages/cli/src/audit/report/plot.ts'
import type { AuditedRow } from './program-table.ts'

/** The colours of the programs, for a light and a dark page. */
const colours = [
  ['#c2410c', '#fb923c'],
  ['#0369a1', '#7dd3fc'],
  ['#7c3aed', '#c4b5fd'],
  ['#15803d', '#86efac'],
] as const

/** The place of the plots in the picture. */
const box = { left: 90, width: 650, height: 150 } as const

/** Draws the memory of programs and the bytes that they received over time, as the page of a report does: an SVG in which each program has a line. */
export function gamePicture(rows: readonly AuditedRow[]): string {
  if (rows.length > colours.length) throw new Error(`a picture has ${colours.length} programs at most`)
  const linesOf = (bytesOf: (sample: AuditedRow['report']['memory'][number]) => number): readonly PlotLine[] =>
    rows.map(({ report }, at) => ({
      name: `l${at}`,
      points: report.memory.map(sample => ({ second: sample.second, bytes: bytesOf(sample) })),
    }))
  const legend = rows.map(({ program: { library, reads } }, at) => {
    const y = 24 + at * 22
    return `<path class="l${at}" d="M${box.left} ${y - 5}h24"/><text x="${box.left + 32}" y="${y}">${library}: ${reads.replaceAll('`', '')}</text>`
  })
  const top = 30 + rows.length * 22
  const plots = [
    plotAt(
      top,
      'Memory (RSS)',
      linesOf(({ rssBytes }) => rssBytes),
    ),
    plotAt(
      top + box.height + 66,
      'Bytes received since the start',
      linesOf(({ receivedBytes }) => receivedBytes),
    ),
  ]
  const rules = (shade: 0 | 1): string => rows.map((_, at) => `.l${at}{stroke:${colours[at]?.[shade]}}`).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 ${top + 2 * (box.height + 66)}" role="img" font-family="system-ui, sans-serif" font-size="14">
<title>Memory and bytes received of ${rows.map(({ program }) => program.name).join(' and ')} in the game of wherry audit</title>
<style>text{fill:#1c2430}.q{fill:#566073}path,polyline{fill:none;stroke-width:2;stroke-linejoin:round;vector-effect:non-scaling-stroke}.grid{stroke:#d5dae2;stroke-width:1}${rules(0)}@media (prefers-color-scheme:dark){text{fill:#e6eaf0}.q{fill:#a3adbd}.grid{stroke:#2f3746}${rules(1)}}</style>
${[...legend, ...plots].join('\n')}
</svg>
`
}

function plotAt(top: number, title: string, lines: readonly PlotLine[]): string {
  const { drawing, mostBytes, seconds } = drawn(lines)
  const { left, width, height } = box
  const first = top + 24
  const text = (x: number, y: number, anchor: string, shown: string): string =>
    `<text class="q" x="${x}" y="${y}" text-anchor="${anchor}">${shown}</text>`
  return [
    `<text x="${left}" y="${top + 10}">${title}</text>`,
    `<svg x="${left}" y="${first}" width="${width}" height="${height}" viewBox="0 0 1000 200" preserveAspectRatio="none" overflow="visible">`,
    `<title>${title}</title>`,
    drawing,
    '</svg>',
    ...[mostBytes, mostBytes / 2, 0].map((bytes, at) =>
      text(left - 8, first + 5 + (at * height) / 2, 'end', bytes === 0 ? '0' : bytesText(bytes)),
    ),
    text(left, first + height + 20, 'start', '0 s'),
    text(left + width, first + height + 20, 'end', `${Math.round(seconds)} s`),
  ].join('\n')
}
