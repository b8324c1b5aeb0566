import type { Row } from './case.ts'

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
