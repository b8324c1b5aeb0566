import type { Entry, Expr, StructField } from './ast.ts'
import { qualifiedName } from './checker.ts'
import { SyntaxIssue } from './issues.ts'
import { type NumberText, numberValue, type Token, tokenize } from './lexer.ts'
import { expandMacro } from './macros.ts'
import type { Literal } from './values.ts'

/** The server's limit on the depth of an expression: on how deep expressions are nested, as by parentheses, and on the depth of its tree. */
const maxDepth = 250
/** The place of a problem of the whole expression. */
const nowhere = -1

const reserved = new Set([
  ...['as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package'],
  ...['namespace', 'return', 'var', 'void', 'while'],
])

/** Parses an expression. Throws a `SyntaxIssue`. */
export function parse(source: string): Expr {
  const parser = new Parser(tokenize(source))
  return parser.whole()
}

const relations = ['<', '<=', '>', '>=', '==', '!=', 'in']
const operators: Readonly<Record<string, string>> = { in: '@in' }

/** A rule of the server's grammar that can be nested in itself. `sum`: also of products. */
type Rule = 'expression' | 'relation' | 'sum'

class Parser {
  readonly #tokens: readonly Token[]
  #next = 0
  /** How deep each rule of the server's grammar is nested at the current token. */
  readonly #nested = { expression: 0, relation: 0, sum: 0 }
  /** The depths of the parts' trees, without those of depth 0. Operators, selections, indexes and calls of methods add to the depth. */
  readonly #depths = new Map<Expr, number>()

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  whole(): Expr {
    const expr = this.#expression()
    if (this.#token.kind !== 'end') this.#fail()
    return expr
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token
  }

  #is(text: string): boolean {
    const { kind } = this.#token
    return (kind === 'symbol' || kind === 'ident') && this.#token.text === text
  }

  #take(text: string): Token | undefined {
    if (!this.#is(text)) return undefined
    return this.#tokens[this.#next++]
  }

  #expect(text: string): Token {
    return this.#take(text) ?? this.#fail(` expecting '${text}'`)
  }

  #fail(expecting = ''): never {
    const { at, text } = this.#token
    throw new SyntaxIssue(at, `Syntax error: mismatched input '${text}'${expecting}`)
  }

  /** Notes and checks the depth of `expr`, which is made of `parts`. `own`: the levels that it adds. */
  #made(expr: Expr, parts: readonly Expr[], own: 0 | 1): Expr {
    const depth = parts.reduce((most, part) => Math.max(most, this.#depths.get(part) ?? 0), 0) + own
    if (depth > maxDepth) throw new SyntaxIssue(nowhere, 'max recursion depth exceeded')
    if (depth > 0) this.#depths.set(expr, depth)
    return expr
  }

  /** Parses by a rule, and checks how deep the rule is nested. */
  #by(rule: Rule, parse: () => Expr): Expr {
    if (++this.#nested[rule] > maxDepth) {
      throw new SyntaxIssue(nowhere, `expression recursion limit exceeded: ${maxDepth}`)
    }
    const expr = parse()
    this.#nested[rule]--
    return expr
  }

  #expression(): Expr {
    return this.#by('expression', () => this.#conditional())
  }

  #conditional(): Expr {
    const condition = this.#logical('||')
    const mark = this.#take('?')
    if (mark === undefined) return condition
    const then = this.#logical('||')
    this.#expect(':')
    const otherwise = this.#expression()
    const parts = [condition, then, otherwise]
    return this.#made(call(mark.at, '_?_:_', parts), parts, 1)
  }

  #logical(operator: '||' | '&&'): Expr {
    const below = (): Expr => (operator === '||' ? this.#logical('&&') : this.#relation())
    const terms = [below()]
    const marks: number[] = []
    for (let mark = this.#take(operator); mark !== undefined; mark = this.#take(operator)) {
      marks.push(mark.at)
      terms.push(below())
    }
    return this.#made(balanced(`_${operator}_`, terms, marks), terms, 0)
  }

  #relation(): Expr {
    const product = (): Expr => this.#binary('sum', ['*', '/', '%'], () => this.#unary())
    const sum = (): Expr => this.#by('sum', () => this.#binary('sum', ['+', '-'], product))
    return this.#by('relation', () => this.#binary('relation', relations, sum))
  }

  /** Parses a chain of operators. In the server's grammar, each operand but the first is nested by the chain's own rule. */
  #binary(rule: Rule, signs: readonly string[], below: () => Expr): Expr {
    let left = below()
    while (signs.includes(this.#token.text) && this.#is(this.#token.text)) {
      const { at, text } = this.#tokens[this.#next++] as Token
      const parts = [left, this.#by(rule, below)]
      left = this.#made(call(at, operators[text] ?? `_${text}_`, parts), parts, 1)
    }
    return left
  }

  #unary(): Expr {
    const { at, text } = this.#token
    if (!this.#is('!') && !this.#is('-')) return this.#member(this.#primary())
    if (text === '-' && this.#tokens[this.#next + 1]?.kind === 'number') {
      this.#next++
      return this.#member(this.#number(at, true))
    }
    let count = 0
    while (this.#is(text) && !(text === '-' && count > 0 && this.#tokens[this.#next + 1]?.kind === 'number')) {
      this.#next++
      count++
    }
    const operand = this.#is('-') ? this.#unary() : this.#member(this.#primary())
    if (count % 2 === 0) return operand
    return this.#made(call(at, text === '!' ? '!_' : '-_', [operand]), [operand], 0)
  }

  #member(start: Expr): Expr {
    let expr = start
    for (;;) {
      const { at } = this.#token
      if (this.#take('.') !== undefined) {
        const optional = this.#take('?') !== undefined
        const { text, kind } = this.#token
        if (kind !== 'ident' && kind !== 'quoted') this.#fail()
        if (kind === 'ident' && (text === 'in' || text === 'true' || text === 'false' || text === 'null')) this.#fail()
        this.#next++
        const name = kind === 'quoted' ? text.slice(1, -1) : text
        const open = kind === 'ident' && !optional ? this.#take('(') : undefined
        if (open !== undefined) {
          const args = this.#list(')')
          const made = expandMacro(open.at, name, expr, args)
          expr = this.#made(made ?? { at: open.at, kind: 'call', name, target: expr, args }, [expr, ...args], 1)
        } else if (optional) {
          const made = call(at, '_?._', [expr, { at: this.#token.at, kind: 'literal', value: name }])
          expr = this.#made(made, [expr], 1)
        } else {
          const made: Expr = { at, kind: 'select', operand: expr, field: name, test: false }
          expr = this.#struct(qualifiedName(made) ?? '') ?? this.#made(made, [expr], 1)
        }
      } else if (this.#take('[') !== undefined) {
        const optional = this.#take('?') !== undefined
        const index = this.#expression()
        this.#expect(']')
        expr = this.#made(call(at, optional ? '_[?_]' : '_[_]', [expr, index]), [expr, index], 1)
      } else return expr
    }
  }

  #primary(): Expr {
    const token = this.#token
    const { at, text } = token
    if (token.kind === 'number') return this.#number(at, false)
    if (token.kind === 'string') {
      this.#next++
      return { at, kind: 'literal', value: token.value as Literal }
    }
    if (this.#take('(') !== undefined) {
      const inner = this.#expression()
      this.#expect(')')
      return inner
    }
    if (this.#take('[') !== undefined) return this.#listLiteral(at)
    if (this.#take('{') !== undefined) return this.#mapLiteral(at)
    const root = this.#take('.') === undefined ? '' : '.'
    const named = this.#token
    if (named.kind !== 'ident' || text === 'in') this.#fail()
    this.#next++
    if (root === '') {
      if (text === 'true' || text === 'false') return { at, kind: 'literal', value: text === 'true' }
      if (text === 'null') return { at, kind: 'literal', value: null }
    }
    if (reserved.has(named.text)) throw new SyntaxIssue(named.at, `reserved identifier: ${named.text}`)
    const name = root + named.text
    const open = this.#take('(')
    if (open !== undefined) {
      const args = this.#list(')')
      return this.#made(expandMacro(open.at, name, undefined, args) ?? call(open.at, name, args), args, 0)
    }
    return this.#struct(name) ?? { at: named.at, kind: 'ident', name }
  }

  /** Parses a message: `Name{…}`. */
  #struct(name: string): Expr | undefined {
    const { at } = this.#token
    if (this.#take('{') === undefined) return undefined
    const fields: StructField[] = []
    while (!this.#is('}')) {
      const optional = this.#take('?') !== undefined
      const { kind, text } = this.#token
      if (kind !== 'ident' && kind !== 'quoted') this.#fail()
      this.#next++
      const colon = this.#token.at
      this.#expect(':')
      fields.push({
        at: colon,
        name: kind === 'quoted' ? text.slice(1, -1) : text,
        value: this.#expression(),
        optional,
      })
      if (this.#take(',') === undefined) break
    }
    this.#expect('}')
    const parts = fields.map(({ value }) => value)
    return this.#made({ at, kind: 'struct', name, fields }, parts, 0)
  }

  #number(at: number, negative: boolean): Expr {
    const token = this.#token
    if (token.kind !== 'number') this.#fail()
    this.#next++
    const text = token.value as NumberText
    const value = text.type === 'uint' && negative ? undefined : numberValue(text, negative)
    if (value === undefined) throw new SyntaxIssue(at, `invalid ${text.type} literal`)
    return { at, kind: 'literal', value }
  }

  #list(end: string): Expr[] {
    const list: Expr[] = []
    while (!this.#is(end)) {
      list.push(this.#expression())
      if (this.#take(',') === undefined) break
      if (end === ')' && this.#is(end)) this.#fail()
    }
    this.#expect(end)
    return list
  }

  #listLiteral(at: number): Expr {
    const elements: Expr[] = []
    const optional = new Set<number>()
    this.#onlyComma(']')
    while (!this.#is(']')) {
      if (this.#take('?') !== undefined) optional.add(elements.length)
      elements.push(this.#expression())
      if (this.#take(',') === undefined) break
    }
    this.#expect(']')
    return this.#made({ at, kind: 'list', elements, optional }, elements, 0)
  }

  /** Skips a single comma, which an empty list or map may have. */
  #onlyComma(end: string): void {
    if (this.#tokens[this.#next + 1]?.text === end) this.#take(',')
  }

  #mapLiteral(at: number): Expr {
    const entries: Entry[] = []
    this.#onlyComma('}')
    while (!this.#is('}')) {
      const optional = this.#take('?') !== undefined
      const key = this.#expression()
      this.#expect(':')
      entries.push({ key, value: this.#expression(), optional })
      if (this.#take(',') === undefined) break
    }
    this.#expect('}')
    const parts = entries.flatMap(({ key, value }) => [key, value])
    return this.#made({ at, kind: 'map', entries }, parts, 0)
  }
}

function call(at: number, name: string, args: readonly Expr[]): Expr {
  return { at, kind: 'call', name, target: undefined, args }
}

/** Builds a balanced tree of `&&` or `||` terms, so that a long chain needs no deep recursion. */
function balanced(name: string, terms: readonly Expr[], marks: readonly number[]): Expr {
  if (terms.length === 1) return terms[0] as Expr
  const middle = Math.floor(marks.length / 2)
  const left = balanced(name, terms.slice(0, middle + 1), marks.slice(0, middle))
  const right = balanced(name, terms.slice(middle + 1), marks.slice(middle + 1))
  return call(marks[middle] as number, name, [left, right])
}
