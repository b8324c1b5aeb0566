import { isInt64, labelValueProblems, qualifiedNameProblems } from '@wherry/cel/internal'
import { StatusError } from '../status.ts'

/** One requirement of a label selector. */
interface Requirement {
  readonly key: string
  readonly operator: 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'
  readonly values: ReadonlySet<string>
}

/** The labels of an object. */
export type Labels = { readonly [key: string]: string } | undefined

/** A parsed label selector. */
export interface LabelSelector {
  matches(labels: Labels): boolean
}

const token = /\s*(?:(==|!=|[=!(),<>])|([^\s=!(),<>]+))\s*/y

/**
 * Parses `labelSelector` by the grammar of apimachinery's `labels.Parse`, function by function, so that an invalid text is refused in its words. Throws a 400.
 * Returns `undefined` for an empty text, which selects everything.
 */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  const parser = new Parser(tokenise(text))
  let requirements: Requirement[]
  try {
    requirements = parser.parse()
  } catch (error) {
    throw error instanceof SelectorError ? StatusError.badRequest(error.message) : error
  }
  if (requirements.length === 0) return undefined
  return { matches: labels => requirements.every(one => satisfies(one, labels)) }
}

class SelectorError extends Error {}

class Parser {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = []
    if (this.#next() === '') return requirements
    for (;;) {
      if (!isIdentifier(this.#next()) && this.#next() !== '!') {
        throw new SelectorError(`found '${this.#next()}', expected: !, identifier, or 'end of string'`)
      }
      try {
        requirements.push(this.#requirement())
      } catch (error) {
        throw error instanceof SelectorError
          ? new SelectorError(`unable to parse requirement: ${error.message}`)
          : error
      }
      const separator = this.#take()
      if (separator === '') return requirements
      if (separator !== ',') throw new SelectorError(`found '${separator}', expected: ',' or 'end of string'`)
      if (!isIdentifier(this.#next()) && this.#next() !== '!') {
        throw new SelectorError(`found '${this.#next()}', expected: identifier after ','`)
      }
    }
  }

  #next(): string {
    return this.#tokens[this.#at] ?? ''
  }

  #take(): string {
    return this.#tokens[this.#at++] ?? ''
  }

  #requirement(): Requirement {
    const negated = this.#next() === '!'
    if (negated) this.#at++
    const key = this.#take()
    if (!isIdentifier(key)) throw new SelectorError(`found '${key}', expected: identifier`)
    const problems = qualifiedNameProblems(key)
    if (problems.length > 0) {
      throw new SelectorError(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problems.join('; ')}`)
    }
    if (negated) return { key, operator: '!', values: new Set() }
    if (this.#next() === '' || this.#next() === ',') return { key, operator: 'exists', values: new Set() }
    const operator = this.#take()
    switch (operator) {
      case '=':
      case '==':
        return checked({ key, operator: 'in', values: this.#value() })
      case '!=':
        return checked({ key, operator: 'notin', values: this.#value() })
      case 'in':
      case 'notin':
        return checked({ key, operator, values: this.#values() })
      case '>':
      case '<':
        return checked({ key, operator: operator === '>' ? 'gt' : 'lt', values: this.#value() })
      default:
        throw new SelectorError(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`)
    }
  }

  #value(): Set<string> {
    if (this.#next() === '' || this.#next() === ',') return new Set([''])
    const value = this.#take()
    if (isIdentifier(value)) return new Set([value])
    throw new SelectorError(`found '${value}', expected: identifier`)
  }

  #values(): Set<string> {
    const open = this.#take()
    if (open !== '(') throw new SelectorError(`found '${open}' expected: '('`)
    if (this.#next() === ')') {
      this.#at++
      return new Set([''])
    }
    if (!isIdentifier(this.#next()) && this.#next() !== ',') {
      throw new SelectorError(`found '${this.#next()}', expected: ',', ')' or identifier`)
    }
    const values = new Set<string>()
    for (;;) {
      const found = this.#take()
      if (isIdentifier(found)) {
        values.add(found)
        if (this.#next() === ')') break
        if (this.#next() !== ',') throw new SelectorError(`found '${this.#next()}', expected: ',' or ')'`)
      } else if (found === ',') {
        if (values.size === 0) values.add('')
        if (this.#next() === ')') {
          values.add('')
          break
        }
        if (this.#next() === ',') {
          this.#at++
          values.add('')
        }
      } else {
        throw new SelectorError(`found '${found}', expected: ',', or identifier`)
      }
    }
    this.#at++
    return values
  }
}

function isInteger(text: string): boolean {
  return /^[-+]?\d+$/.test(text) && isInt64(text)
}

function isIdentifier(text: string): boolean {
  return text !== '' && !/^[=!(),<>]/.test(text)
}

/** Refuses values that no label can have, and bounds that are no integers of 64 bits. */
function checked(one: Requirement): Requirement {
  const values = [...one.values].sort()
  const isBound = one.operator === 'gt' || one.operator === 'lt'
  const errors = values.flatMap((value, i) => {
    if (!isBound || isInteger(value)) return []
    const why = "for 'Gt', 'Lt' operators, the value must be an integer"
    return [`values[${i}]: Invalid value: ${JSON.stringify(value)}: ${why}`]
  })
  for (const [i, value] of values.entries()) {
    const problems = labelValueProblems(value)
    if (problems.length === 0) continue
    errors.push(`values[${i}][${one.key}]: Invalid value: ${JSON.stringify(value)}: ${problems.join('; ')}`)
  }
  if (errors.length === 0) return one
  throw new SelectorError(errors.length === 1 ? (errors[0] as string) : `[${errors.join(', ')}]`)
}

/** Splits a text into tokens. This can't fail: every character belongs to a symbol, a word or white space. */
function tokenise(text: string): string[] {
  const tokens: string[] = []
  token.lastIndex = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) tokens.push(match[1] ?? match[2] ?? '')
  return tokens
}
function satisfies({ key, operator, values }: Requirement, labels: Labels): boolean {
  const has = labels !== undefined && Object.hasOwn(labels, key)
  const value = has ? (labels[key] as string) : ''
  switch (operator) {
    case 'exists':
      return has
    case '!':
      return !has
    case 'in':
      return has && values.has(value)
    case 'notin':
      return !has || !values.has(value)
    case 'gt':
    case 'lt': {
      if (!has || !isInteger(value)) return false
      const [bound] = values
      return operator === 'gt' ? BigInt(value) > BigInt(bound as string) : BigInt(value) < BigInt(bound as string)
    }
  }
}
