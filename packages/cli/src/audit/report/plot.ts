import { bytesText } from './bytes-text.ts'

/** A number of bytes at a time. */
export interface PlotPoint {
  readonly second: number
  readonly bytes: number
}

const width = 1_000
const height = 200

/** A line of a plot. */
export interface PlotLine {
  /** The CSS class of the line. */
  readonly name: string
  readonly points: readonly PlotPoint[]
}

/**
 * A line over time, as HTML. Its labels are text of the page, because the drawing is scaled to the width of the page and would distort them.
 *
 * @param title plain text without markup
 * @param name the CSS class of the line
 */
export function plot(title: string, name: string, points: readonly PlotPoint[]): string {
  const last = points.at(-1)
  if (last === undefined || points.length < 2) return `<p class="quiet">${title}: the run was too short for a plot.</p>`
  const { drawing, mostBytes, seconds } = drawn([{ name, points }])
  return `<figure>
<figcaption>${title}</figcaption>
<div class="frame">
<div class="scale"><span>${bytesText(mostBytes)}</span><span>${bytesText(mostBytes / 2)}</span><span>0</span></div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${title}, ${bytesText(last.bytes)} at last">
${drawing}
</svg>
<div class="times"><span>0 s</span><span>${one(seconds / 2)} s</span><span>${one(seconds)} s</span></div>
</div>
</figure>`
}

/** The lines of a plot without labels, in a box of 1000 × 200, and the scale: the times and the bytes at the far edges. */
export function drawn(lines: readonly PlotLine[]): {
  readonly drawing: string
  readonly mostBytes: number
  readonly seconds: number
} {
  const all = lines.flatMap(({ points }) => points)
  const mostBytes = roundUp(all.reduce((most, { bytes }) => Math.max(most, bytes), 0))
  const seconds = all.reduce((most, { second }) => Math.max(most, second), 0) || 1
  const place = ({ second, bytes }: PlotPoint): string =>
    `${one((second / seconds) * width)},${one(height - (bytes / mostBytes) * height)}`
  const curves = lines.map(({ name, points }) => `<polyline class="${name}" points="${points.map(place).join(' ')}"/>`)
  const grid = `<path class="grid" d="M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}"/>`
  return { drawing: [grid, ...curves].join('\n'), mostBytes, seconds }
}

/** A number with at most one decimal. */
const one = (number: number): string => `${Math.round(number * 10) / 10}`

/** Rounds a number of bytes up to the next of 1, 2, 5, 10, 20 and so on. */
function roundUp(bytes: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(bytes, 1)))
  return power * ([1, 2, 5].find(factor => factor * power >= bytes) ?? 10)
}
