import { described } from '../errors/check.ts'
import { OptionRangeError, OptionTypeError } from '../errors/option.ts'

/** One condition on one field. Only the server knows which fields a resource supports. */
export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/** A field selector: `{ 'metadata.name': 'web' }`, or text (`status.phase!=Failed`). */
export type FieldSelectorInput = string | Readonly<Record<string, string>> | FieldSelector

/**
 * A parsed field selector: all its requirements must hold. Equal selectors have equal text.
 *
 * @example
 * ```ts
 * import { Client, FieldSelector } from '@wherry/client'
 * import { pods } from '@wherry/client/resources/core'
 *
 * const onNode = FieldSelector.of({ 'spec.nodeName': 'node-1' })
 * const failed = onNode.and(FieldSelector.of('status.phase=Failed'))
 * console.log(failed.text) // spec.nodeName=node-1,status.phase=Failed
 *
 * const client = await Client.connect()
 * const { items } = await client.list(pods.within({ fields: failed }))
 * ```
 */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[]
  /** The normal form, which is sent. Empty: selects everything. */
  readonly text: string

  private constructor(requirements: readonly FieldRequirement[]) {
    const [first] = requirements
    if (first !== undefined && requirements.length === 1) {
      this.requirements = requirements
      this.text = textOf(first)
      return
    }
    const byText = new Map<string, FieldRequirement>()
    for (const requirement of requirements) {
      byText.set(textOf(requirement), requirement)
    }
    const texts = [...byText.keys()].sort()
    this.requirements = texts.map(text => byText.get(text) as FieldRequirement)
    this.text = texts.join(',')
  }

  static readonly everything: FieldSelector = new FieldSelector([])

  /** Parses a selector. An error names `option`. */
  static of(input: FieldSelectorInput, option = 'fields'): FieldSelector {
    if (input instanceof FieldSelector) return input
    if (typeof input === 'string') return new FieldSelector(parse(input, option))
    if (input === null || typeof input !== 'object' || Array.isArray(input)) {
      throw new OptionTypeError(option, takes, described(input))
    }
    const requirements = Object.entries(input).map(([field, value]): FieldRequirement => {
      if (typeof value !== 'string') throw new OptionTypeError(`${option}.${field}`, 'a string', typeof value)
      return { field: checkField(field, option), operator: '=', value }
    })
    return new FieldSelector(requirements)
  }

  /** A selector of the objects that both selectors select. */
  and(other: FieldSelector): FieldSelector {
    if (other.requirements.length === 0) return this
    if (this.requirements.length === 0) return other
    return new FieldSelector([...this.requirements, ...other.requirements])
  }

  /** The value that the selector requires of `field` by equality; `undefined` if there is none. */
  equal(field: string): string | undefined {
    return this.requirements.find(r => r.field === field && r.operator === '=')?.value
  }

  /** Whether the selector has only the name and the namespace, so that a key is enough to evaluate it. */
  get isOfKeys(): boolean {
    return this.requirements.every(({ field }) => keyFields.has(field))
  }

  /** Whether the selector's conditions on the name and the namespace allow a key. */
  allows({ name, namespace = '' }: { readonly name: string; readonly namespace?: string | undefined }): boolean {
    return this.requirements.every(({ field, operator, value }) => {
      const held = field === 'metadata.name' ? name : namespace
      return !keyFields.has(field) || (held === value) === (operator === '=')
    })
  }

  toString(): string {
    return this.text
  }
}

const keyFields: ReadonlySet<string> = new Set(['metadata.name', 'metadata.namespace'])

const takes = "fields to equal, or a field selector's text"

/** The grammar of `k8s.io/apimachinery/pkg/fields`: no spaces, `\` escapes `\`, `,` and `=` in values. */
function parse(text: string, option: string): FieldRequirement[] {
  const fail = (why: string): never => {
    throw new OptionRangeError(option, 'a field selector', `${JSON.stringify(text)} (${why})`)
  }
  const requirements: FieldRequirement[] = []
  for (const [term] of text.matchAll(/(?:\\[\s\S]?|[^,\\])+/g)) {
    const operator = /!=|==|=/.exec(term)
    if (operator === null) return fail(`'${term}' has no operator`)
    const field = term.slice(0, operator.index)
    const raw = term.slice(operator.index + operator[0].length)
    if (!/^(?:[^\\,=]|\\[\\,=])*$/.test(raw)) fail(`'${raw}' has a bare = or a wrong escape`)
    requirements.push({
      field: checkField(field, option),
      operator: operator[0] === '!=' ? '!=' : '=',
      value: raw.replace(/\\([\\,=])/g, '$1'),
    })
  }
  return requirements
}

function checkField(field: string, option: string): string {
  if (field === '' || /[\\,=!]/.test(field)) {
    throw new OptionRangeError(option, 'fields named by a path such as metadata.name', JSON.stringify(field))
  }
  return field
}

function textOf({ field, operator, value }: FieldRequirement): string {
  return `${field}${operator}${escaped(value)}`
}

function escaped(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&')
}
