import { RE2JS } from 're2js'

/** A pattern that checks whether a text has a match. */
export interface Pattern {
  test(text: string): boolean
}

/** Go's reason to refuse the regular expression `source`, in Go's words; `undefined` if Go accepts it. */
export function goPatternProblem(source: string): string | undefined {
  const perl = /(?<!\\)(?:\\\\)*(\(\?(?:[=!]|<[=!]))/.exec(source)
  if (perl !== null) {
    return `error parsing regexp: invalid or unsupported Perl syntax: \`${(perl[1] as string).slice(0, 3)}\``
  }
  const reference = /(?<!\\)(?:\\\\)*(\\[1-9])/.exec(source)
  if (reference !== null) return `error parsing regexp: invalid escape sequence: \`${reference[1]}\``
  const compiled = compile(source)
  return compiled instanceof Error ? compiled.message : undefined
}

/**
 * Compiles a regular expression of Go; `undefined` if Go refuses it. As in Go, its time is proportional to the text. JavaScript's own expressions may take
 * forever, and definitions are not trusted.
 */
export function goPattern(source: string): Pattern | undefined {
  const compiled = compile(source)
  return compiled instanceof Error ? undefined : { test: text => compiled.test(text) }
}

function compile(source: string): RE2JS | Error {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    return error as Error
  }
}
