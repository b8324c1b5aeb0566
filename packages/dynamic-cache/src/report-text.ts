import type { InformerReport } from './report.ts'

/** The cells of an informer in the tables of reports. */
export function informerCells({ state, synced, objects, failed, receivedBytes, holders, lastError }: InformerReport): {
  readonly state: string
  readonly objects: string
  readonly received: string
  readonly heldBy: string
} {
  return {
    state: synced ? state : `${state}, not synced`,
    objects: failed === 0 ? `${objects}` : `${objects} (${failed} failed)`,
    received: megabytes(receivedBytes),
    heldBy: [...holders, ...(lastError === undefined ? [] : [`! ${lastError.message}`])].join(', '),
  }
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/** The lines of a table: each column is as wide as its widest cell. All rows have as many cells as the first. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length))) ?? []
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
