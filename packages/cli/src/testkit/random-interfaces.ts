import type { StructuralSchema } from '@wherry/crd'
import { chance, choose, type Random, shuffle } from '@wherry/testing'

/** A field of an interface with doc comments, and what becomes of it. */
export interface RandomField {
  /** The declarations that it needs outside of the interface. */
  readonly outside: string
  /** The field in the interface. */
  readonly inside: string
  /** Its schema. Undefined if it is refused. */
  readonly schema: StructuralSchema | undefined
  readonly name: string
}

interface Type {
  readonly text: string
  readonly schema: StructuralSchema
}

const integer = { type: 'integer' }
const text = { type: 'string' }
const quantity = { 'x-kubernetes-int-or-string': true, pattern: '<quantity>' }

const types: readonly Type[] = [
  { text: 'string', schema: text },
  { text: 'int', schema: integer },
  { text: 'int64', schema: { ...integer, format: 'int64' } },
  { text: 'number', schema: { type: 'number' } },
  { text: 'boolean', schema: { type: 'boolean' } },
  { text: 'int[]', schema: { type: 'array', items: integer } },
  { text: 'readonly Label[]', schema: { type: 'array', items: { ...text, maxLength: 63 } } },
  { text: 'Record<string, int>', schema: { type: 'object', additionalProperties: integer } },
  { text: 'Inner', schema: { type: 'object', properties: { b: { ...integer, minimum: 3 } }, description: 'Inside.' } },
  { text: '{ b: string }', schema: { type: 'object', properties: { b: text }, required: ['b'] } },
  { text: 'Quantity', schema: quantity },
  { text: 'IntOrString', schema: { 'x-kubernetes-int-or-string': true } },
  { text: 'Timestamp', schema: { ...text, format: 'date-time' } },
  { text: 'Label', schema: { ...text, maxLength: 63 } },
  { text: "('a' | 'b')", schema: { ...text, enum: ['a', 'b'] } },
  { text: "'a'", schema: { ...text, enum: ['a'] } },
  { text: '(1 | 2)', schema: { type: 'number', enum: [1, 2] } },
]

interface Tag {
  readonly text: string
  readonly adds: StructuralSchema
  /** The types of values that it is of; all by default. */
  readonly of?: readonly string[]
}

const ofNumbers = ['integer', 'number', 'int-or-string']
const ofTexts = ['string', 'int-or-string']
const rule = { rule: 'true', message: 'never' }

const tags: readonly Tag[] = [
  { text: '@minimum 1', adds: { minimum: 1 }, of: ofNumbers },
  { text: '@maximum 9', adds: { maximum: 9 }, of: ofNumbers },
  { text: '@exclusiveMinimum 0', adds: { minimum: 0, exclusiveMinimum: true }, of: ofNumbers },
  { text: '@exclusiveMaximum 10', adds: { maximum: 10, exclusiveMaximum: true }, of: ofNumbers },
  { text: '@multipleOf 1', adds: { multipleOf: 1 }, of: ofNumbers },
  { text: '@minLength 1', adds: { minLength: 1 }, of: ofTexts },
  { text: '@maxLength 9', adds: { maxLength: 9 }, of: ofTexts },
  { text: '@pattern ^[ab]', adds: { pattern: '^[ab]' }, of: ofTexts },
  { text: '@format int32', adds: { format: 'int32' }, of: ['integer', 'number'] },
  { text: '@format hostname', adds: { format: 'hostname' }, of: ofTexts },
  { text: '@minItems 1', adds: { minItems: 1 }, of: ['array'] },
  { text: '@maxItems 3', adds: { maxItems: 3 }, of: ['array'] },
  { text: '@listType atomic', adds: { 'x-kubernetes-list-type': 'atomic' }, of: ['array'] },
  { text: '@minProperties 1', adds: { minProperties: 1 }, of: ['object'] },
  { text: '@maxProperties 3', adds: { maxProperties: 3 }, of: ['object'] },
  { text: '@mapType atomic', adds: { 'x-kubernetes-map-type': 'atomic' }, of: ['object'] },
  { text: '@title A', adds: { title: 'A' } },
  { text: '@nullable', adds: { nullable: true } },
  { text: '@validation `true` never', adds: { 'x-kubernetes-validations': [rule] } },
  { text: '@schema {"example":1}', adds: { example: 1 } },
]

/** How a type is found from a field. */
interface Way {
  /** The declaration of the type with its doc comment, and the type of the field. */
  write(type: string, comment: string, name: string): { readonly outside: string; readonly type: string }
  /** The schema of the field around that of the type. */
  wrap(schema: StructuralSchema): StructuralSchema
}

const object = (schema: StructuralSchema, required: readonly string[] = ['a']): StructuralSchema => ({
  type: 'object',
  properties: { a: schema },
  ...(required.length > 0 && { required: [...required] }),
})

/** A type that is made from an interface with the field `a`. */
const made = (from: (base: string) => string, required?: readonly string[], question = ''): Way => ({
  write: (type, comment, name) => ({
    outside: `interface ${name}Base {\n${comment}a${question}: ${type}\n}\n`,
    type: from(`${name}Base`),
  }),
  wrap: schema => object(schema, required),
})

/** A type with a name. */
const aliased = (from: (alias: string) => string, wrap: Way['wrap'] = schema => schema): Way => ({
  write: (type, comment, name) => ({
    outside: `${comment}type ${name}Alias = ${type}\n`,
    type: from(`${name}Alias`),
  }),
  wrap,
})

/** All ways by which a doc comment may come to a field. */
export const ways: readonly Way[] = [
  aliased(alias => alias),
  aliased(
    alias => `${alias}[]`,
    items => ({ type: 'array', items }),
  ),
  aliased(
    alias => `Record<string, ${alias}>`,
    additionalProperties => ({ type: 'object', additionalProperties }),
  ),
  aliased(alias => `{ a: ${alias} }`, object),
  aliased(
    alias => `Partial<{ a: ${alias} }>`,
    schema => object(schema, []),
  ),
  made(base => base),
  made(base => `Readonly<${base}>`),
  made(base => `Required<${base}>`),
  made(base => `Required<${base}>`, ['a'], '?'),
  made(base => `Partial<${base}>`, []),
  made(base => `Pick<${base}, 'a'>`),
  made(base => `Pick<${base}, 'a'>`, [], '?'),
  made(base => `Omit<${base}, 'b'>`),
  made(base => `Omit<${base}, 'b'>`, [], '?'),
  made(base => `Partial<Omit<Readonly<${base}>, 'b'>>`, []),
  made(base => `Required<Partial<${base}>>`),
  made(base => `${base} & {}`),
  made(base => `{ a: ${base}['a'] }`),
  made(base => `{ a: ${base}['a'] } & ${base}`),
  { write: (type, comment) => ({ outside: '', type: `{\n${comment}a: ${type}\n}` }), wrap: object },
  {
    write: (type, comment) => ({ outside: '', type: `{\n${comment}[name: string]: ${type}\n}` }),
    wrap: additionalProperties => ({ type: 'object', additionalProperties }),
  },
  {
    write: (type, comment, name) => ({
      outside: `interface ${name}Base {\n${comment}a: ${type}\n}\ninterface ${name}More extends ${name}Base {}\n`,
      type: `${name}More`,
    }),
    wrap: object,
  },
]

/** A field that may be null. Its type has up to three tags, given in any way. */
export function randomField(random: Random, name: string): RandomField {
  const type = choose(random, types)
  const some = shuffle(random, tags).slice(0, Math.floor(random() * 4))
  const chosen = some.filter((tag, at) => some.findIndex(other => sameKeyword(tag, other)) === at)
  const way = choose(random, ways)
  const isNull = chance(random, 0.4)
  const comment = chosen.length === 0 ? '' : `/**\n${chosen.map(tag => ` * ${tag.text}\n`).join('')} */\n`
  const written = isNull ? choose(random, [`${type.text} | null`, `null | ${type.text}`]) : type.text
  const { outside, type: around } = way.write(written, comment, name)
  const kind = type.schema['x-kubernetes-int-or-string'] === true ? 'int-or-string' : (type.schema.type ?? '')
  const fits = chosen.every(tag => tag.of?.includes(kind) ?? true)
  return {
    name,
    outside,
    inside: `${name}: ${around}\n`,
    schema: fits ? way.wrap(schemaOf(type, chosen, isNull)) : undefined,
  }
}

/** Whether both tags set one keyword: the later would replace it. */
function sameKeyword(one: Tag, other: Tag): boolean {
  return Object.keys(one.adds).some(keyword => keyword in other.adds)
}

function schemaOf(type: Type, chosen: readonly Tag[], isNull: boolean): StructuralSchema {
  const whole: StructuralSchema = Object.assign({}, type.schema, ...chosen.map(tag => tag.adds))
  if (isNull) whole.nullable = true
  const { enum: values, ...rest } = whole
  if (whole.nullable !== true || values === undefined) return whole
  const listed = values.map(value => JSON.stringify(value))
  const literals = listed.map(one => (rest.type === 'number' ? `${one}.0` : one))
  const ruled = { rule: `self in [${literals.join(', ')}]`, message: `must be null or one of: ${listed.join(', ')}` }
  return {
    ...rest,
    ...(rest.type === 'string' && rest.maxLength === undefined && { maxLength: 1 }),
    'x-kubernetes-validations': [...(rest['x-kubernetes-validations'] ?? []), ruled],
  }
}
