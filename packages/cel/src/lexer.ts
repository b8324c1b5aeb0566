import { SyntaxIssue } from './issues.ts'
import type { Literal } from './values.ts'
import { Uint } from './values.ts'

/** A token of an expression. */
export type Token = { readonly at: number; readonly text: string } & (
  | { readonly kind: 'ident' | 'quoted' | 'symbol' | 'end' }
  | { readonly kind: 'number' | 'string'; readonly value: Literal | NumberText }
)

/** The digits of a number, without its sign. Whether the number fits its type depends on the sign. */
export interface NumberText {
  readonly digits: string
  readonly type: 'int' | 'uint' | 'double'
}

const space = /(?:[\t \r\n\f]|\/\/[^\n]*)+/y
const number = /0x[0-9a-fA-F]+[uU]?|(?:\d+\.\d+|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+[uU]?/y
const string = /[rRbB]{0,2}(?="|')/y
const ident = /[A-Za-z_][A-Za-z0-9_]*/y
const quoted = /`[A-Za-z0-9_.\-/ ]+`/y
const symbol = /==|!=|<=|>=|&&|\|\||[()[\]{}.,?:+\-*/%!<>]/y

/** Splits an expression into its tokens. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const match = (expression: RegExp): string | undefined => {
    expression.lastIndex = at
    return expression.exec(source)?.[0]
  }
  while (at < source.length) {
    const blank = match(space)
    if (blank !== undefined) {
      at += blank.length
      continue
    }
    const prefix = match(string)
    if (prefix !== undefined) {
      const { value, end } = readString(source, at, prefix.toLowerCase())
      tokens.push({ at, text: source.slice(at, end), kind: 'string', value })
      at = end
      continue
    }
    const previous = tokens.at(-1)
    const digits = match(number)
    // After an operand, a dot selects a field, so `.5` is no number there.
    if (digits !== undefined && !(digits.startsWith('.') && endsOperand(previous))) {
      tokens.push({ at, text: digits, kind: 'number', value: numberOf(digits) })
      at += digits.length
      continue
    }
    const kinds = [
      ['ident', match(ident)],
      ['quoted', match(quoted)],
      ['symbol', match(symbol)],
    ] as const
    const found = kinds.find(([, text]) => text !== undefined)
    if (found === undefined) {
      throw new SyntaxIssue(at, `Syntax error: token recognition error at: '${source[at]}'`)
    }
    const [kind, text = ''] = found
    tokens.push({ at, text, kind })
    at += text.length
  }
  tokens.push({ at: source.length, text: '<EOF>', kind: 'end' })
  return tokens
}

function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false
  return token.kind !== 'symbol' || [')', ']', '}'].includes(token.text)
}

function numberOf(text: string): NumberText {
  if (/^0x/.test(text)) {
    const unsigned = /[uU]$/.test(text)
    return { digits: unsigned ? text.slice(0, -1) : text, type: unsigned ? 'uint' : 'int' }
  }
  if (/[.eE]/.test(text)) return { digits: text, type: 'double' }
  return /[uU]$/.test(text) ? { digits: text.slice(0, -1), type: 'uint' } : { digits: text, type: 'int' }
}

/** The value of a number; `undefined` if it does not fit its type. */
export function numberValue({ digits, type }: NumberText, negative: boolean): Literal | undefined {
  if (type === 'double') return negative ? -Number(digits) : Number(digits)
  const value = negative ? -BigInt(digits) : BigInt(digits)
  if (type === 'uint') return value < 2n ** 64n ? new Uint(value) : undefined
  return value >= -(2n ** 63n) && value < 2n ** 63n ? value : undefined
}

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
}

function readString(source: string, start: number, prefix: string): { value: Literal; end: number } {
  const raw = prefix.includes('r')
  const bytes = prefix.includes('b')
  let at = start + prefix.length
  const mark = source[at] as string
  const quote = source.startsWith(mark.repeat(3), at) ? mark.repeat(3) : mark
  at += quote.length
  const parts: (string | number)[] = []
  for (;;) {
    const code = source.codePointAt(at)
    if (code === undefined || (code === 0x0a && quote.length === 1)) {
      const text = source.slice(start, at)
      throw new SyntaxIssue(start, `Syntax error: token recognition error at: '${text}'`)
    }
    if (source.startsWith(quote, at)) break
    const char = String.fromCodePoint(code)
    if (char === '\\' && !raw) {
      const read = readEscape(source, at, bytes)
      parts.push(read.value)
      at = read.end
    } else {
      parts.push(char)
      at += char.length
    }
  }
  const end = at + quote.length
  if (!bytes) return { value: parts.join(''), end }
  const chunks = parts.map(part => (typeof part === 'number' ? Uint8Array.of(part) : Buffer.from(part)))
  return { value: new Uint8Array(Buffer.concat(chunks)), end }
}

function readEscape(source: string, at: number, bytes: boolean): { value: string | number; end: number } {
  const char = source[at + 1] ?? ''
  const known = simple[char]
  if (known !== undefined) return { value: known, end: at + 2 }
  const patterns: Readonly<Record<string, RegExp>> = {
    x: /[0-9a-fA-F]{2}/y,
    X: /[0-9a-fA-F]{2}/y,
    u: /[0-9a-fA-F]{4}/y,
    U: /[0-9a-fA-F]{8}/y,
  }
  const pattern = patterns[char] ?? /[0-3][0-7]{2}/y
  pattern.lastIndex = patterns[char] === undefined ? at + 1 : at + 2
  const digits = pattern.exec(source)?.[0]
  const octal = patterns[char] === undefined
  const code = digits === undefined ? Number.NaN : Number.parseInt(digits, octal ? 8 : 16)
  const unicode = char === 'u' || char === 'U'
  if (digits === undefined || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) || (bytes && unicode)) {
    throw new SyntaxIssue(at, 'Syntax error: invalid escape sequence')
  }
  const end = pattern.lastIndex
  return { value: bytes ? code : String.fromCodePoint(code), end }
}
