import { isDeepStrictEqual } from 'node:util'
import type { StructuralSchema } from '@wherry/crd'
import { isReserved } from '../create/code-names.ts'
import { misplacedTag } from '../interface/misplaced.ts'
import { commentText, isOneLine, isPlain } from './comment.ts'

/** A schema as a type, with the parts of its doc comment. */
interface Described {
  readonly type: string
  readonly description: string
  readonly tags: readonly string[]
  /** The interface that was declared for the schema. The comment of an item is written there. */
  readonly declared: Declaration | undefined
}

interface Declaration {
  comment: string
  readonly text: string
}

/** Writes the interfaces of one file. */
export class TypeFile {
  readonly #declarations: Declaration[] = []
  readonly #names = new Set<string>(reserved)
  /** The last number of each name that several types want. */
  readonly #numbers = new Map<string, number>()
  readonly #imports = new Set<string>()

  /** A name for a type that the file does not have yet. */
  name(wanted: string): string {
    const base = wanted.replace(/[^A-Za-z0-9_$]/g, '')
    let name = base
    let at = this.#numbers.get(base) ?? 1
    while (this.#names.has(name) || isReserved(name)) {
      at += 1
      name = `${base}${at}`
    }
    this.#numbers.set(base, at)
    this.#names.add(name)
    return name
  }

  /** Declares an interface with these fields. */
  declare(name: string, comment: string, members: readonly string[]): Declaration {
    const body = members.length === 0 ? ' {}\n' : ` {\n${members.join('')}}\n`
    const declaration = { comment, text: `export interface ${name}${body}` }
    this.#declarations.push(declaration)
    return declaration
  }

  /** A field of an interface, with its comment. */
  member(name: string, schema: StructuralSchema, isRequired: boolean, path: string): string {
    const { type, description, tags } = this.#describe(schema, `${path}${pascal(name)}`)
    const all = isRequired && schema.default !== undefined ? [...tags, '@required'] : tags
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    return `${commentText(description, all, '  ')}  ${key}${isRequired ? '' : '?'}: ${type}\n`
  }

  members(schema: StructuralSchema, path: string): string[] {
    return Object.entries(schema.properties ?? {}).map(([name, field]) =>
      this.member(name, field, schema.required?.includes(name) === true, path),
    )
  }

  /** The text of the file. An interface comes before the types of its fields. */
  toString(): string {
    const scalars = [...this.#imports].toSorted()
    return [
      "import type { ObjectMeta } from '@wherry/client'\n",
      ...(scalars.length === 0 ? [] : [`import type { ${scalars.join(', ')} } from '@wherry/crd'\n`]),
      ...this.#declarations.toReversed().map(({ comment, text }) => `\n${comment}${text}`),
    ].join('')
  }

  #describe(schema: StructuralSchema, path: string): Described {
    const rest: Record<string, unknown> = { ...schema }
    const tags: string[] = []
    const take = <K extends keyof StructuralSchema>(field: K): StructuralSchema[K] => {
      delete rest[field]
      return schema[field]
    }
    const description = isPlain(schema.description ?? '') ? (take('description') ?? '') : ''
    const declared: Declaration[] = []
    const plain = this.#type(schema, rest, take, path, declared)
    const type = schema.nullable === true ? `${plain} | null` : plain
    // A tag that does not fit its type is refused, but a definition may have such a limit, because the server accepts it.
    const fits = (tag: string): boolean =>
      (schema.type !== undefined || schema['x-kubernetes-int-or-string'] === true) &&
      misplacedTag(tag, schema) === undefined
    if (take('nullable') === true) tags.push('@nullable')
    if (schema.default !== undefined) tags.push(`@default ${JSON.stringify(take('default'))}`)
    for (const [limit, excluded] of [
      ['minimum', 'exclusiveMinimum'],
      ['maximum', 'exclusiveMaximum'],
    ] as const)
      if (schema[excluded] === true && schema[limit] !== undefined && fits(limit)) {
        tags.push(`@${excluded} ${take(limit)}`)
        take(excluded)
      }
    for (const field of numbers) if (rest[field] !== undefined && fits(field)) tags.push(`@${field} ${take(field)}`)
    for (const field of texts)
      if (isOneLine(rest[field]) && !/^`.+`$/.test(rest[field]) && fits(field)) tags.push(`@${field} ${take(field)}`)
    // With the tag `@enum`, null would be an allowed value, but the server refuses it for this schema.
    if (rest.enum !== undefined && schema.nullable !== true) tags.push(`@enum ${JSON.stringify(take('enum'))}`)
    for (const [field, tag] of marks)
      if (rest[field] === true) {
        take(field)
        tags.push(`@${tag}`)
      }
    if (rest['x-kubernetes-list-type'] !== undefined) tags.push(`@listType ${take('x-kubernetes-list-type')}`)
    if (schema['x-kubernetes-list-map-keys']?.every(key => /^\S+$/.test(key)))
      for (const key of take('x-kubernetes-list-map-keys') ?? []) tags.push(`@listMapKey ${key}`)
    if (rest['x-kubernetes-map-type'] !== undefined) tags.push(`@mapType ${take('x-kubernetes-map-type')}`)
    for (const rule of take('x-kubernetes-validations') ?? []) tags.push(validation(rule))
    if (Object.keys(rest).length > 0) tags.push(`@schema ${JSON.stringify(rest)}`)
    return { type, description, tags, declared: declared[0] }
  }

  #type(
    schema: StructuralSchema,
    rest: Record<string, unknown>,
    take: (field: keyof StructuralSchema) => unknown,
    path: string,
    declared: Declaration[],
  ): string {
    if (schema['x-kubernetes-int-or-string'] === true) {
      take('x-kubernetes-int-or-string')
      return this.#scalar('IntOrString')
    }
    if (schema.type === undefined) {
      // A schema with limits but without a type stays unchanged, because the tags of limits would imply a type.
      if (![...numbers, ...texts, 'enum', 'anyOf', 'oneOf', 'allOf', 'not'].some(field => field in rest))
        take('x-kubernetes-preserve-unknown-fields')
      return 'unknown'
    }
    const { type } = schema
    take('type')
    if (type === 'array') return `${this.#item(take('items') as StructuralSchema, `${path}Item`)}[]`
    if (type === 'object') return this.#object(schema, rest, take, path, declared)
    if (type === 'integer') {
      if (schema.format !== 'int64') return this.#scalar('int')
      take('format')
      return this.#scalar('int64')
    }
    if (type !== 'string') return type
    if (schema.nullable !== true && schema.enum?.every(value => typeof value === 'string' && value !== ''))
      return (take('enum') as string[]).map(value => JSON.stringify(value)).join(' | ')
    const scalar = schema.format === 'date-time' ? 'Timestamp' : schema.format === 'duration' ? 'Duration' : undefined
    if (scalar === undefined) return 'string'
    take('format')
    return this.#scalar(scalar)
  }

  #object(
    schema: StructuralSchema,
    rest: Record<string, unknown>,
    take: (field: keyof StructuralSchema) => unknown,
    path: string,
    declared: Declaration[],
  ): string {
    const { properties, additionalProperties } = schema
    if (properties !== undefined && Object.keys(properties).length > 0) {
      const name = this.name(path)
      const required = schema.required ?? []
      const known = required.filter(one => Object.hasOwn(properties, one))
      if (known.length === required.length) take('required')
      take('properties')
      const members = this.members(schema, name)
      declared.push(this.declare(name, '', members))
      return name
    }
    // `Record<string, unknown>` would be read as an object with unknown fields, which is another schema for the server.
    if (typeof additionalProperties === 'object' && isDeepStrictEqual(additionalProperties, anything))
      return 'Record<string, unknown>'
    if (typeof additionalProperties === 'object') {
      take('additionalProperties')
      return `Record<string, ${this.#item(additionalProperties, `${path}Value`)}>`
    }
    if (schema['x-kubernetes-preserve-unknown-fields'] === true) {
      take('x-kubernetes-preserve-unknown-fields')
      return 'Record<string, unknown>'
    }
    delete rest.properties
    return '{}'
  }

  /** The type of a list's items or a map's values. If it has a comment, it becomes a named type with that comment. */
  #item(schema: StructuralSchema, path: string): string {
    const { type, description, tags, declared } = this.#describe(schema, path)
    const comment = commentText(description, tags)
    if (comment === '') return / \| /.test(type) ? `(${type})` : type
    if (declared !== undefined && type.split(' ').length === 1) {
      declared.comment = comment
      return type
    }
    const name = this.name(path)
    this.#declarations.push({ comment, text: `export type ${name} = ${type}\n` })
    return name
  }

  #scalar(name: string): string {
    this.#imports.add(name)
    return name
  }
}

const anything: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true }

/** The names that the file imports or uses, and names of types of TypeScript. */
const reserved = [
  ...['ObjectMeta', 'Record', 'Date', 'int', 'int64', 'IntOrString', 'Quantity', 'Duration', 'Timestamp'],
  ...['any', 'bigint', 'boolean', 'never', 'number', 'object', 'string', 'symbol', 'undefined', 'unknown', 'void'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'Array', 'ReadonlyArray', 'Promise', 'RegExp', 'Function', 'Symbol', 'Error'],
]

const numbers = [
  ...(['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const),
  ...(['minProperties', 'maxProperties'] as const),
]
const texts = ['title', 'pattern', 'format'] as const
const marks = [
  ['x-kubernetes-preserve-unknown-fields', 'preserveUnknownFields'],
  ['x-kubernetes-embedded-resource', 'embeddedResource'],
] as const

/** A rule in backticks with its message, or as JSON if it has other fields or several lines. */
export function validation(rule: object): string {
  const { rule: text, message = '', ...more } = rule as { rule: string; message?: string }
  const isShort = Object.keys(more).length === 0 && isOneLine(text) && (message === '' || isOneLine(message))
  if (isShort && !text.includes('`')) return `@validation \`${text}\` ${message}`.trimEnd()
  return `@validation ${JSON.stringify(rule)}`
}

export function pascal(name: string): string {
  return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase())
}
