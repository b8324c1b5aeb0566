import { described } from '../errors/check.ts'
import { OptionRangeError, OptionTypeError } from '../errors/option.ts'
import { checkLabelKey, checkLabelValue } from './label.ts'
import { parseLabelSelector } from './label-grammar.ts'

/** One condition on one label. `exists` and `!exists` have no values, `>` and `<` one integer. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  /** Sorted, each once. */
  readonly values: readonly string[]
}

export type LabelOperator = 'in' | 'notin' | 'exists' | '!exists' | '>' | '<'

/** A label selector in the form of Kubernetes objects. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined
  readonly matchExpressions?:
    | readonly {
        readonly key: string
        readonly operator: string
        readonly values?: readonly string[] | undefined
      }[]
    | undefined
}

/**
 * A label selector: `{ app: 'web' }`, the `{ matchLabels, matchExpressions }` of Kubernetes objects, or text in the API server's grammar
 * (`app=web,tier in (a, b),!canary`).
 */
export type LabelSelectorInput = string | Readonly<Record<string, string>> | LabelSelectorObject | LabelSelector

/**
 * A parsed label selector: all its requirements must hold. Equal selectors have equal text, however they were written: requirements and values are
 * sorted and unique.
 *
 * @example
 * ```ts
 * import { LabelSelector } from '@wherry/client'
 *
 * const games = LabelSelector.of('app in (go, chess),!canary')
 * console.log(games.text) // !canary,app in (chess,go)
 * console.log(games.matches({ app: 'chess' })) // true
 * console.log(games.matches({ app: 'chess', canary: 'yes' })) // false
 * ```
 */
export class LabelSelector {
  readonly requirements: readonly LabelRequirement[]
  /** The normal form, which is sent. Empty: selects everything. */
  readonly text: string

  private constructor(requirements: Iterable<LabelRequirement>) {
    const byText = new Map<string, LabelRequirement>()
    for (const requirement of requirements) byText.set(textOf(requirement), requirement)
    const texts = [...byText.keys()].sort(byCodeUnits)
    this.requirements = texts.map(text => byText.get(text) as LabelRequirement)
    this.text = texts.join(',')
  }

  static readonly everything: LabelSelector = new LabelSelector([])

  /** Parses a selector. An error names `option`. */
  static of(input: LabelSelectorInput, option = 'labels'): LabelSelector {
    if (input instanceof LabelSelector) return input
    if (typeof input === 'string') return new LabelSelector(parseLabelSelector(input, option).map(checked(option)))
    if (input === null || typeof input !== 'object' || Array.isArray(input)) {
      throw new OptionTypeError(option, takes, described(input))
    }
    return new LabelSelector(
      (isSelectorObject(input) ? fromObject(input, option) : fromLabels(input)).map(checked(option)),
    )
  }

  /** A selector of the objects that both selectors select. */
  and(other: LabelSelector): LabelSelector {
    if (other.requirements.length === 0) return this
    if (this.requirements.length === 0) return other
    return new LabelSelector([...this.requirements, ...other.requirements])
  }

  /** Whether an object with these labels is selected. */
  matches(labels: Readonly<Record<string, string>> | undefined): boolean {
    return this.requirements.every(requirement => holds(requirement, labels))
  }

  toString(): string {
    return this.text
  }
}

const takes = "labels to equal, { matchLabels, matchExpressions }, or a label selector's text"

function isSelectorObject(input: object): input is LabelSelectorObject {
  const { matchLabels, matchExpressions, ...rest } = input as Record<string, unknown>
  if (Object.keys(rest).length > 0) return false
  return (
    (matchLabels === undefined || (typeof matchLabels === 'object' && matchLabels !== null)) &&
    (matchExpressions === undefined || Array.isArray(matchExpressions))
  )
}

function fromLabels(labels: object): LabelRequirement[] {
  return Object.entries(labels).map(([key, value]) => ({ key, operator: 'in', values: [value] }))
}

const expressionOperators: ReadonlyMap<unknown, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!exists'],
])

const operatorNames = new Map([...expressionOperators].map(([name, operator]) => [operator, name as string]))

/** A selector in the form of manifests; `undefined` if it selects all objects. */
export function selectorObject({
  requirements,
}: LabelSelector): { matchExpressions: { key: string; operator: string; values?: string[] }[] } | undefined {
  if (requirements.length === 0) return undefined
  const matchExpressions = requirements.map(({ key, operator, values }) => ({
    ...{ key, operator: operatorNames.get(operator) as string },
    ...(values.length > 0 && { values: [...values] }),
  }))
  return { matchExpressions }
}

function fromObject(selector: LabelSelectorObject, option: string): LabelRequirement[] {
  const requirements = fromLabels(selector.matchLabels ?? {})
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = expressionOperators.get(operator)
    if (known === undefined) {
      throw new OptionRangeError(
        `${option}.matchExpressions.operator`,
        'In, NotIn, Exists or DoesNotExist',
        `${operator}`,
      )
    }
    if (values !== undefined && values !== null && !Array.isArray(values)) {
      throw new OptionTypeError(`${option}.matchExpressions.values`, 'a list of strings', described(values))
    }
    requirements.push({ key, operator: known, values: values ?? [] })
  }
  return requirements
}

/** Checks a requirement as the API server's `NewRequirement` does, and gives its normal form. */
function checked(option: string): (requirement: LabelRequirement) => LabelRequirement {
  return ({ key, operator, values }) => {
    checkLabelKey(key)
    const counts = operator === 'exists' || operator === '!exists' ? values.length === 0 : values.length > 0
    if (!counts) {
      const what = values.length > 0 ? 'no values for an operator of existence' : 'at least one value for in and notin'
      throw new OptionRangeError(option, what, JSON.stringify(textOf({ key, operator, values })))
    }
    for (const value of values) {
      if ((operator === '>' || operator === '<') && !isInt64(value)) {
        throw new OptionRangeError(option, 'an integer after > and <', JSON.stringify(value))
      }
      checkLabelValue(value)
    }
    return { key, operator, values: [...new Set(values)].sort(byCodeUnits) }
  }
}

function textOf({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key
  if (operator === '!exists') return `!${key}`
  if (operator === '>' || operator === '<') return `${key}${operator}${values[0]}`
  if (values.length === 1) return `${key}${operator === 'in' ? '=' : '!='}${values[0]}`
  return `${key} ${operator} (${values.join(',')})`
}

function holds(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value)
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case '!exists':
      return value === undefined
    case '>':
      return value !== undefined && isInt64(value) && BigInt(value) > BigInt(values[0] as string)
    case '<':
      return value !== undefined && isInt64(value) && BigInt(value) < BigInt(values[0] as string)
  }
}

/** Whether Go's `strconv.ParseInt(text, 10, 64)` accepts a text. */
function isInt64(text: string): boolean {
  if (!/^[+-]?\d+$/.test(text)) return false
  const value = BigInt(text.replace(/^\+/, ''))
  return value === BigInt.asIntN(64, value)
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
