import { isDeepStrictEqual } from 'node:util'
import type { Tag } from './doc-comment.ts'
import { isRequired, tagNames } from './marks.ts'

/** The keywords that a tag adds to the schema of a field or a type, or the text of an error. */
export type FromTag = Readonly<Record<string, unknown>> | string

/** Keywords of the fields of a schema, from their tags. Several values of a keyword are in the order of the tags. */
export function schemaOfTags(tags: readonly Tag[], refuse: (message: string) => void): Record<string, unknown> {
  const schema: Record<string, unknown> = {}
  for (const tag of tags) {
    const read = readers.get(tag.name)
    if (read === undefined) {
      if (!documenting.has(tag.name)) refuse(`has the tag @${tag.name}, which is not known. ${known()}`)
      continue
    }
    const added = read(tag.text, tag.name)
    if (typeof added === 'string') refuse(`has @${tag.name} ${tag.text}, which takes ${added}.`)
    else addTo(schema, added)
  }
  return schema
}

/** Adds the keywords of `more` to `schema`. Lists of rules and keys grow, all other keywords are replaced. */
export function addTo(schema: Record<string, unknown>, more: Readonly<Record<string, unknown>>): void {
  for (const [keyword, value] of Object.entries(more)) {
    const before = schema[keyword]
    schema[keyword] = growing.has(keyword) && Array.isArray(before) ? grown(before, value as unknown[]) : value
  }
}

/** Adds values that are not there yet. A rule may be inherited twice, such as from two bases with a common base. */
function grown(before: readonly unknown[], more: readonly unknown[]): unknown[] {
  return [...before, ...more.filter(one => !before.some(other => isDeepStrictEqual(one, other)))]
}

const growing: ReadonlySet<string> = new Set(['x-kubernetes-validations', 'x-kubernetes-list-map-keys', tagNames])

type Reader = (text: string, name: string) => FromTag

const number: Reader = (text, name) =>
  text !== '' && Number.isFinite(Number(text)) ? { [name]: Number(text) } : 'a number'

const word: Reader = (text, name) => (text === '' ? 'a text' : { [name]: text })

const values =
  (keyword: string, allowed: readonly string[]): Reader =>
  text =>
    allowed.includes(text) ? { [keyword]: text } : allowed.join(', ')

const flag =
  (schema: Readonly<Record<string, unknown>>): Reader =>
  text =>
    text === '' ? schema : 'no value'

const readers: ReadonlyMap<string, Reader> = new Map(
  Object.entries({
    ...Object.fromEntries(
      [
        ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
        ...['minItems', 'maxItems', 'minProperties', 'maxProperties'],
      ].map(name => [name, number]),
    ),
    ...Object.fromEntries(['format', 'title'].map(name => [name, word])),
    // In backticks, tools that read comments as Markdown do not read a pattern as a link.
    pattern: text => word(/^`(.+)`$/.exec(text)?.[1] ?? text, 'pattern'),
    type: values('type', ['integer', 'number', 'string', 'boolean', 'object', 'array']),
    default: text => (text === '' ? 'a value' : { default: jsonOr(text) }),
    enum: text => {
      const listed = text.startsWith('[') ? jsonOr(text) : text.split(',').map(one => one.trim())
      return Array.isArray(listed) && text !== '' ? { enum: listed } : 'values: a, b, or a JSON list'
    },
    nullable: flag({ nullable: true }),
    optional: flag({ [isRequired]: false }),
    required: flag({ [isRequired]: true }),
    intOrString: flag({ 'x-kubernetes-int-or-string': true }),
    preserveUnknownFields: flag({ 'x-kubernetes-preserve-unknown-fields': true }),
    // With this tag the type is not read: see TaggedNodeParser.
    opaque: flag({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
    embeddedResource: flag({ 'x-kubernetes-embedded-resource': true }),
    listType: values('x-kubernetes-list-type', ['atomic', 'set', 'map']),
    mapType: values('x-kubernetes-map-type', ['atomic', 'granular']),
    listMapKey: text => (text === '' ? 'the name of a field' : { 'x-kubernetes-list-map-keys': text.split(/[\s,]+/) }),
    immutable: flag({ 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'the value is immutable' }] }),
    validation: text => {
      const rule = validationOf(text)
      return rule === undefined
        ? 'a CEL rule in backticks and a message, or a JSON object'
        : { 'x-kubernetes-validations': [rule] }
    },
    schema: text => {
      const parsed = jsonOr(text)
      return isObject(parsed) ? parsed : 'a JSON object'
    },
  }),
)

/** Tags that only document (https://tsdoc.org), and that are no part of a definition. */
const documenting: ReadonlySet<string> = new Set([
  ...['alpha', 'beta', 'deprecated', 'example', 'experimental', 'internal', 'packageDocumentation', 'privateRemarks'],
  ...['public', 'readonly', 'remarks', 'see', 'since', 'author', 'todo', 'link', 'version', 'throws'],
])

function known(): string {
  return `Tags of a field are ${[...readers.keys()].map(name => `@${name}`).join(', ')}.`
}

/** `` `self.a <= self.b` a is above b ``, or a rule as JSON, with any of its fields. */
function validationOf(text: string): object | undefined {
  const [, rule, message] = /^`([^`]+)`\s*([\s\S]*)$/.exec(text) ?? []
  if (rule !== undefined) return message === '' ? { rule } : { rule, message }
  const parsed = text.startsWith('{') ? jsonOr(text) : undefined
  return isObject(parsed) && typeof parsed.rule === 'string' ? parsed : undefined
}

/** A JSON value. A text that is no JSON is a string. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
