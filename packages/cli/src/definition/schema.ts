import {
  checkFields,
  count,
  flag,
  isRecord,
  list,
  number,
  oneOf,
  record,
  type Shape,
  ShapeError,
  text,
  texts,
} from './shape.ts'

/** The maximum depth of a schema, because the names of deeper types would be as long as their paths. */
const mostLevels = 100
const longestPath = 2000

const fields: Readonly<Record<string, Shape>> = {
  type: oneOf('string', 'number', 'integer', 'boolean', 'array', 'object', 'null'),
  ...{ title: text, description: text, format: text, pattern: text, id: text, $ref: text, $schema: text },
  ...{ minimum: number, maximum: number, multipleOf: number },
  ...{
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    minProperties: count,
    maxProperties: count,
  },
  ...{ exclusiveMinimum: flag, exclusiveMaximum: flag, uniqueItems: flag, nullable: flag },
  ...{ enum: list, required: texts, properties: record, patternProperties: record, definitions: record },
  ...{ allOf: list, anyOf: list, oneOf: list, not: record, dependencies: record, externalDocs: record },
  'x-kubernetes-preserve-unknown-fields': flag,
  'x-kubernetes-int-or-string': flag,
  'x-kubernetes-embedded-resource': flag,
  'x-kubernetes-list-type': oneOf('atomic', 'set', 'map'),
  'x-kubernetes-map-type': oneOf('atomic', 'granular'),
  'x-kubernetes-list-map-keys': texts,
  'x-kubernetes-validations': {
    takes: 'a list of maps with the text rule',
    ok: value =>
      Array.isArray(value) && value.every(one => isRecord(one) && text.ok(one.rule) && text.ok(one.message ?? '')),
  },
}

/** Checks a schema and all below it. Throws a `ShapeError` with the path of the first field that a server would refuse. */
export function checkSchema(schema: unknown, path: string, levels = 0): void {
  if (!isRecord(schema)) throw new ShapeError(path, 'a schema is a map')
  if (levels > mostLevels || path.length > longestPath)
    throw new ShapeError(
      `${path.slice(0, 80)} …`,
      `a schema has up to ${mostLevels} levels, and paths of up to ${longestPath} characters`,
    )
  checkFields(schema, fields, path)
  const { properties, patternProperties, items, additionalProperties, additionalItems, not } = schema
  const below = (one: unknown, step: string): void => checkSchema(one, `${path}${step}`, levels + 1)
  for (const [name, all] of Object.entries({ properties, patternProperties }))
    for (const [key, one] of Object.entries(all ?? {})) below(one, `.${name}[${key}]`)
  if (schema.type === 'array' && !isRecord(items)) throw new ShapeError(path, 'an array needs items, a schema')
  if (items !== undefined) below(items, '.items')
  if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean')
    below(additionalProperties, '.additionalProperties')
  if (additionalItems !== undefined && typeof additionalItems !== 'boolean') below(additionalItems, '.additionalItems')
  if (not !== undefined) below(not, '.not')
  for (const name of ['allOf', 'anyOf', 'oneOf'])
    for (const [at, one] of ((schema[name] as readonly unknown[] | undefined) ?? []).entries())
      below(one, `.${name}[${at}]`)
}
