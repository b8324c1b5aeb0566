import { OptionRangeError } from '@wherry/client'
import { text } from '@wherry/client/internal'

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** The bracket or quote that an expression such as `(a` lacks, in words; `undefined` if all are closed. */
function unbalanced(expression: string): string | undefined {
  const open: string[] = []
  for (let at = 0; at < expression.length; at++) {
    const char = expression[at] as string
    if (char === '"' || char === "'") {
      const end = endOfString(expression, at)
      if (end === undefined) return `a string that begins at character ${at + 1} and does not end`
      at = end
    } else if (char === '/' && expression[at + 1] === '/') {
      const end = expression.indexOf('\n', at)
      if (end === -1) break
      at = end
    } else if (char in closing) open.push(closing[char] as string)
    else if (')]}'.includes(char) && open.pop() !== char) return `a ${char} at character ${at + 1} that closes nothing`
  }
  const missing = open.at(-1)
  return missing === undefined ? undefined : `an expression without its last ${missing}`
}

/** The position of the last quote of a string that begins at `start`. */
function endOfString(expression: string, start: number): number | undefined {
  const quote = expression[start] as string
  const isLong = expression.startsWith(quote.repeat(3), start)
  const end = isLong ? quote.repeat(3) : quote
  const isRaw = /[rR]/.test(expression[start - 1] ?? '') && !/\w/.test(expression[start - 2]?.replace(/[bB]/, '') ?? '')
  for (let at = start + end.length; at < expression.length; at++) {
    if (expression.startsWith(end, at)) return at + end.length - 1
    if (expression[at] === '\\' && !isRaw) at++
    else if (expression[at] === '\n' && !isLong) return undefined
  }
  return undefined
}

/** Checks the brackets and quotes of a CEL expression for a match condition. The API server checks the rest. @throws OptionTypeError, OptionRangeError */
export function checkWhen(option: string, value: unknown): void {
  const takes = 'a CEL expression'
  if (typeof value !== 'string') text(option, value)
  if ((value as string).trim() === '') throw new OptionRangeError(option, takes, 'an empty text')
  const problem = unbalanced(value as string)
  if (problem !== undefined) throw new OptionRangeError(option, takes, problem)
}
