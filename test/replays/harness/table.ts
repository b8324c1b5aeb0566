/** How a column stands. */
export interface Column {
  readonly head: string
  /** @default left */
  readonly align?: 'right' | undefined
}

/** The cells as a table of Markdown. */
export function markdownTable(columns: readonly Column[], lines: readonly (readonly string[])[]): string {
  const rule = columns.map(({ align }) => (align === 'right' ? '--:' : '---'))
  const heads = columns.map(({ head }) => head)
  return [heads, rule, ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

/** The cells in columns, for a terminal. */
export function plainTable(columns: readonly Column[], lines: readonly (readonly string[])[]): string {
  const all = [columns.map(({ head }) => head), ...lines]
  const widths = columns.map((_, i) => Math.max(...all.map(line => line[i]?.length ?? 0)))
  const padded = all.map(line => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
  return padded.map(line => line.trimEnd()).join('\n')
}

/** The cell of a row with a bar. */
export const metCell = (isMet: boolean | undefined): string => (isMet === undefined ? '' : isMet ? 'met' : '**MISSED**')
