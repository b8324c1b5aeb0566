import { RE2JS } from 're2js'

/** The reason why the API server refuses a pattern; undefined if it does not. The server matches by RE2, a regular expression library without backtracking. */
export function patternProblem(pattern: string): string | undefined {
  if (/(?<!\\)(?:\\\\)*\(\?<?[=!]/.test(pattern))
    return `the pattern ${pattern} has a lookaround, which the API server's regular expressions (RE2) do not have. Write it without, or as a CEL rule.`
  try {
    RE2JS.compile(pattern)
    return undefined
  } catch (error) {
    return `the API server does not take the pattern ${pattern} (${(error as Error).message}). Its syntax is that of RE2.`
  }
}

/** Whether a server finds a match. A refused pattern matches anything here, because it is reported elsewhere. */
export function matches(pattern: string, value: string): boolean {
  return patternProblem(pattern) !== undefined || RE2JS.compile(pattern).test(value)
}

/** A pattern that matches exactly these texts. */
export function patternOf(texts: readonly string[]): string {
  return `^(${texts.map(text => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})$`
}
