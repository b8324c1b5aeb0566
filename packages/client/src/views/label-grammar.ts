import { OptionRangeError } from '../errors/option.ts'
import type { LabelOperator, LabelRequirement } from './label-selector.ts'

type Token = { readonly kind: 'word' | 'keyword' | 'symbol' | 'end'; readonly text: string }

/** Symbols, and the words between symbols and white space. */
const lexemes = /[=!]=|[=!(),<>]|[^=!(),<> \t\r\n]+/g

/**
 * Parses a label selector by the grammar of the API server (`k8s.io/apimachinery/pkg/labels`), including its corner cases: `in` and
 * `notin` may be names, and both `x=` and `x in (a,,b)` have an empty value.
 */
export function parseLabelSelector(text: string, option = 'labels'): LabelRequirement[] {
  const fail = (why: string): never => {
    throw new OptionRangeError(option, 'a label selector', `${JSON.stringify(text)} (${why})`)
  }
  const tokens = scan(text)
  let position = 0
  const peek = (): Token => tokens[position] as Token
  const next = (): Token => tokens[Math.min(position++, tokens.length - 1)] as Token
  const isWord = (token: Token): boolean => token.kind === 'word' || token.kind === 'keyword'
  const isText = (token: Token, symbol: string): boolean => token.kind === 'symbol' && token.text === symbol
  const seen = (token: Token): string => (token.kind === 'end' ? 'the end' : `'${token.text}'`)

  const requirements: LabelRequirement[] = []
  if (peek().kind === 'end') return requirements
  for (;;) {
    const token = peek()
    if (!isWord(token) && !isText(token, '!')) fail(`found ${seen(token)}, where a label or ! is due`)
    requirements.push(requirement())
    const after = next()
    if (after.kind === 'end') return requirements
    if (!isText(after, ',')) fail(`found ${seen(after)}, where a comma or the end is due`)
  }

  function requirement(): LabelRequirement {
    const negated = isText(peek(), '!')
    if (negated) next()
    const key = next()
    if (!isWord(key)) fail(`found ${seen(key)}, where a label is due`)
    if (negated) return { key: key.text, operator: '!exists', values: [] }
    if (peek().kind === 'end' || isText(peek(), ',')) return { key: key.text, operator: 'exists', values: [] }
    const operator = next()
    if (operator.kind === 'keyword') return { key: key.text, operator: operator.text as LabelOperator, values: list() }
    if (operator.kind !== 'symbol') fail(`found ${seen(operator)}, where an operator is due`)
    switch (operator.text) {
      case '=':
      case '==':
        return { key: key.text, operator: 'in', values: [exactly()] }
      case '!=':
        return { key: key.text, operator: 'notin', values: [exactly()] }
      case '>':
      case '<':
        return { key: key.text, operator: operator.text, values: [exactly()] }
      default:
        return fail(`found ${seen(operator)}, where an operator is due`)
    }
  }

  function exactly(): string {
    if (peek().kind === 'end' || isText(peek(), ',')) return ''
    const value = next()
    if (!isWord(value)) fail(`found ${seen(value)}, where a value is due`)
    return value.text
  }

  function list(): string[] {
    if (!isText(next(), '(')) fail("'(' is due after in and notin")
    const values: string[] = []
    if (isText(peek(), ')')) fail('a list of values has at least one')
    for (;;) {
      const token = peek()
      if (isWord(token)) {
        values.push(next().text)
        if (!isText(peek(), ',') && !isText(peek(), ')')) fail(`found ${seen(peek())}, where ',' or ')' is due`)
      } else {
        values.push('')
        if (!isText(token, ',') && !isText(token, ')')) fail(`found ${seen(token)}, where a value is due`)
      }
      if (isText(next(), ')')) return values
    }
  }
}

function scan(text: string): Token[] {
  // The server's lexer takes a NUL for the end of the text.
  const [read = ''] = text.split('\0', 1)
  const tokens = (read.match(lexemes) ?? []).map((text): Token => {
    if (/^[=!(),<>]/.test(text)) return { kind: 'symbol', text }
    return { kind: text === 'in' || text === 'notin' ? 'keyword' : 'word', text }
  })
  return [...tokens, { kind: 'end', text: '' }]
}
