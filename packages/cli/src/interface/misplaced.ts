import type { StructuralSchema } from '@wherry/crd'

/** The error of a tag that does not fit its type, such as `@minimum` of a text. Undefined if the tag fits. */
export function misplacedTag(tag: string, schema: StructuralSchema): string | undefined {
  const kinds = tag === 'format' ? kindsOfFormat(schema.format) : kindsOf[tag]
  const kind = schema['x-kubernetes-int-or-string'] === true ? 'int-or-string' : schema.type
  if (kinds === undefined || kind === undefined || kinds.includes(kind)) return undefined
  const words = kinds.filter(one => one !== 'int-or-string').map(one => plurals[one])
  return `limits ${words.join(' and ')}, and this is ${nouns[kind] ?? kind}`
}

/** Whether the server itself describes a field, so that a tag of the field would be lost. */
export function isServersOwn(path: string): boolean {
  return /^(apiVersion|kind|metadata)([.[{]|$)/.test(path) && !/^metadata\.(name|generateName)$/.test(path)
}

const numbers = ['integer', 'number', 'int-or-string']
const texts = ['string', 'int-or-string']

const kindsOf: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map(tag => [tag, numbers]),
  ),
  ...Object.fromEntries(['minLength', 'maxLength', 'pattern'].map(tag => [tag, texts])),
  ...Object.fromEntries(['minItems', 'maxItems', 'listType', 'listMapKey'].map(tag => [tag, ['array']])),
  ...Object.fromEntries(
    ['minProperties', 'maxProperties', 'mapType', 'embeddedResource'].map(tag => [tag, ['object']]),
  ),
}

function kindsOfFormat(format: string | undefined): readonly string[] {
  return ['int32', 'int64', 'float', 'double'].includes(format ?? '') ? ['integer', 'number'] : texts
}

const plurals: Readonly<Record<string, string>> = {
  ...{ integer: 'integers', number: 'numbers', string: 'texts', array: 'lists', object: 'objects' },
}

const nouns: Readonly<Record<string, string>> = {
  ...{ integer: 'an integer', number: 'a number', string: 'a text', array: 'a list', object: 'an object' },
  ...{ boolean: 'a boolean', 'int-or-string': 'an integer or a text' },
}

/** The schema of the field at a path such as `spec.players[].name`. Undefined if there is none. */
export function schemaAt(schema: StructuralSchema, path: string): StructuralSchema | undefined {
  if (path === '') return schema
  const step = path.slice(0, 2)
  const inside = step === '[]' ? schema.items : step === '{}' ? schema.additionalProperties : undefined
  if (typeof inside === 'object') return schemaAt(inside as StructuralSchema, path.slice(2).replace(/^\./, ''))
  // A name may have any character, so the longest name that fits counts.
  const [name] = Object.keys(schema.properties ?? {})
    .filter(one => path === one || ['.', '[]', '{}'].some(next => path.startsWith(`${one}${next}`)))
    .toSorted((one, other) => other.length - one.length)
  const field = name === undefined ? undefined : schema.properties?.[name]
  return field && schemaAt(field, path.slice(name?.length).replace(/^\./, ''))
}
