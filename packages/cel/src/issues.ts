/** A problem of an expression, and its place: an offset into the text, negative for the whole expression. */
export interface Issue {
  readonly at: number
  readonly message: string
}

/** Ends parsing, because the rest of the text can't be checked. */
export class SyntaxIssue extends Error {
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** Issues as the server prints them, each with its line and a mark below its place. */
export function printIssues(source: string, issues: readonly Issue[]): string {
  const lines = source.split('\n')
  const whole = issues.filter(({ at }) => at < 0).map(({ message }) => `ERROR: <input>:-1:0: ${message}`)
  const inside = issues.filter(({ at }) => at >= 0)
  const placed = inside.map(({ at, message }) => {
    const before = source.slice(0, at).split('\n')
    return { line: before.length, column: [...(before.at(-1) ?? '')].length, message }
  })
  const first = (a: (typeof placed)[number], b: (typeof placed)[number]): number =>
    a.line - b.line || a.column - b.column || 0
  const printed = placed.sort(first).map(({ line, column, message }) => {
    const text = (lines[line - 1] ?? '').replaceAll('\t', ' ')
    const chars = [...text]
    const dots = chars.slice(0, column).map(char => (isWide(char) ? '\uff0e' : '.'))
    const mark = isWide(chars[column] ?? '') ? '\uff3e' : '^'
    return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text}\n | ${dots.join('')}${mark}`
  })
  return [...whole, ...printed].join('\n')
}

function isWide(char: string): boolean {
  return (char.codePointAt(0) ?? 0) > 0x7f
}
