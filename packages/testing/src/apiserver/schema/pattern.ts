import { RE2JS } from 're2js'

/** Says whether a text has a match. */
export interface Pattern {
  test(text: string): boolean
}

/** Classes that Go's regular expressions know by name, as the inside of a JavaScript class. */
const posix: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
}

/** What Go's regular expressions refuse `source` for, as Go words it; `undefined`: nothing. */
export function goPatternProblem(source: string): string | undefined {
  const perl = /(?<!\\)(?:\\\\)*(\(\?(?:[=!]|<[=!]))/.exec(source)
  if (perl !== null) {
    return `error parsing regexp: invalid or unsupported Perl syntax: \`${(perl[1] as string).slice(0, 3)}\``
  }
  const reference = /(?<!\\)(?:\\\\)*(\\[1-9])/.exec(source)
  if (reference !== null) return `error parsing regexp: invalid escape sequence: \`${reference[1]}\``
  return goPattern(source) === undefined ? refusalByRe2(source) : undefined
}

/** A regular expression of Go's; `undefined` for one that Go refuses. JavaScript's own are faster, where one means the same. */
export function goPattern(source: string): Pattern | undefined {
  const leading = /^\(\?([ims]+)\)/.exec(source)
  const flags = leading?.[1] ?? ''
  const body = source
    .slice(leading?.[0].length ?? 0)
    .replace(/\[:(\^?)(\w+):\]/g, (whole, negated: string, name: string) =>
      negated === '' ? (posix[name] ?? whole) : whole,
    )
    .replace(/\\[pP][A-Z](?![\w{])/g, short => `${short.slice(0, 2)}{${short.slice(2)}}`)
    .replace(/\(\?P</g, '(?<')
    .replace(/(?<!\\)((?:\\\\)*)\\A/g, '$1^')
    .replace(/(?<!\\)((?:\\\\)*)\\z/g, '$1$')
  for (const unicode of ['u', '']) {
    try {
      return new RegExp(body, flags + unicode)
    } catch {
      // Escapes that Go takes are errors with `u`; one that is an error without it too has no equal.
    }
  }
  return patternOfRe2(source)
}

/** For flags from the middle of an expression on, and those that JavaScript does not have. */
function patternOfRe2(source: string): Pattern | undefined {
  try {
    const compiled = RE2JS.compile(source)
    return { test: text => compiled.matcher(text).find() }
  } catch {
    return undefined
  }
}

function refusalByRe2(source: string): string | undefined {
  try {
    RE2JS.compile(source)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
