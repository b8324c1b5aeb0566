import { RE2JS } from 're2js'

/** Says whether a text has a match. */
export interface Pattern {
  test(text: string): boolean
}

/** What Go's regular expressions refuse `source` for, as Go words it; `undefined`: nothing. */
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
 * A regular expression of Go's; `undefined` for one that Go refuses. It takes time in proportion to the text, as Go's do: JavaScript's own may take
 * forever for some, and a definition is a stranger's text.
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
