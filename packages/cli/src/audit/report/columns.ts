/** Cells of a line, from left to right. */
export type Row = readonly string[]

/** A table of text with a head. The text is empty if there are no rows. */
export function columns(head: Row, rows: readonly Row[]): string {
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

/** Joins lines to a text that ends with a line break. */
export const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`
