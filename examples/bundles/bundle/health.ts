/** Something that is not as it should be. */
export interface Problem {
  /** `Deployment game-operator` */
  readonly object: string
  readonly reason: string
  /** @maxLength 256 */
  readonly message: string
}

/** Longest message of a condition, in bytes. */
export const maxMessageBytes = 256

/** One line for any number of problems: how many there are, and the first of them. The detail is in the status and in events. */
export function summaryOf(problems: readonly Problem[]): string {
  const [first] = problems
  if (first === undefined) return ''
  const more = problems.length === 1 ? '' : `${problems.length} objects, first `
  return cut(`${more}${first.object}: ${first.reason}: ${first.message}`)
}

/** As much of a text as a message may have. */
export function cut(text: string): string {
  if (Buffer.byteLength(text) <= maxMessageBytes) return text
  const bytes = Buffer.from(text).subarray(0, maxMessageBytes - 3)
  // A character that was cut through is left out.
  return `${new TextDecoder().decode(bytes).replace(/\uFFFD+$/, '')}…`
}
