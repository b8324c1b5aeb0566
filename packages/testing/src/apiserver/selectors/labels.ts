import { StatusError } from '../status.ts'

/** One requirement of a label selector. */
interface Requirement {
  readonly key: string
  readonly operator: 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'
  readonly values: ReadonlySet<string>
}

/** Labels as objects carry them. */
export type Labels = { readonly [key: string]: string } | undefined

/** A parsed label selector. */
export interface LabelSelector {
  matches(labels: Labels): boolean
}

const qualifiedName = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/
const token = /\s*(?:(==|!=|[=!(),<>])|([^\s=!(),<>]+))\s*/y

/** Parses `labelSelector` by the grammar of apimachinery. Throws a 400. Empty text selects everything: `undefined`. */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  if (text.trim() === '') return undefined
  const tokens = tokenise(text)
  const requirements: Requirement[] = []
  let at = 0
  const take = (): string => tokens[at++] ?? ''
  const fail = (why: string): never => {
    throw StatusError.badRequest(`unable to parse requirement: ${why}`)
  }
  const word = (what: string): string => {
    const value = take()
    if (value === '' || /^[=!(),<>]/.test(value)) fail(`found '${value}', expected: ${what}`)
    return value
  }
  const optionalValue = (): string => {
    const next = tokens[at]
    return next === undefined || next === ',' ? '' : word('identifier')
  }
  const list = (): Set<string> => {
    if (take() !== '(') fail("found no '(' after 'in' or 'notin'")
    const values = new Set<string>()
    for (;;) {
      const next = tokens[at]
      values.add(next === ',' || next === ')' ? '' : word("identifier, ',' or ')'"))
      const separator = take()
      if (separator === ')') return values
      if (separator !== ',') fail(`found '${separator}', expected: ',' or ')'`)
    }
  }
  for (;;) {
    const negated = tokens[at] === '!'
    if (negated) at++
    const key = word('identifier')
    if (!qualifiedName.test(key))
      fail(`key: Invalid value: "${key}": name part must consist of alphanumeric characters`)
    requirements.push(negated ? { key, operator: '!', values: new Set() } : requirement(key))
    const separator = take()
    if (separator === '') break
    if (separator !== ',') fail(`found '${separator}', expected: ',' or 'end of string'`)
  }
  return { matches: labels => requirements.every(one => satisfies(one, labels)) }

  function requirement(key: string): Requirement {
    const operator = tokens[at]
    if (operator === undefined || operator === ',') return { key, operator: 'exists', values: new Set() }
    at++
    switch (operator) {
      case '=':
      case '==':
        return checked({ key, operator: 'in', values: new Set([optionalValue()]) })
      case '!=':
        return checked({ key, operator: 'notin', values: new Set([optionalValue()]) })
      case 'in':
      case 'notin':
        return checked({ key, operator, values: list() })
      case '>':
      case '<': {
        const value = word('identifier')
        if (!/^-?\d+$/.test(value))
          fail(`values[0]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`)
        return { key, operator: operator === '>' ? 'gt' : 'lt', values: new Set([value]) }
      }
      default:
        return fail(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`)
    }
  }

  function checked(one: Requirement): Requirement {
    for (const value of one.values) {
      if (!labelValue.test(value)) {
        fail(
          `values[0][${one.key}]: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'`,
        )
      }
    }
    return one
  }
}

function tokenise(text: string): string[] {
  const tokens: string[] = []
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const match = token.exec(text)
    if (match === null) throw StatusError.badRequest(`unable to parse requirement: ${text}`)
    tokens.push(match[1] ?? match[2] ?? '')
  }
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
      if (!has || !/^-?\d+$/.test(value)) return false
      const [bound] = values
      return operator === 'gt' ? BigInt(value) > BigInt(bound as string) : BigInt(value) < BigInt(bound as string)
    }
  }
}
