import { Context } from './context.ts'
import { checkDefaults } from './defaults.ts'
import { type AnySchema, isStandard, jsonSchemaOf } from './from-standard.ts'
import { intersect } from './intersect.ts'
import { isRecord, type JsonSchema, type StructuralSchema, same } from './json-schema.ts'
import { kindsOf, onlyLimits } from './limits.ts'
import { refined, unrepresentable } from './marks.ts'
import { withNullRules } from './nullable-enum.ts'
import { about, clean, type Inner, one } from './one-type.ts'
import { patternProblem } from './pattern.ts'
import { problemsError, type SchemaProblem } from './problem.ts'
import { resolve } from './references.ts'
import { allowedValues, typeOf } from './scalars.ts'
import { unite } from './unite.ts'

/** How a schema is made structural. */
export interface StructuralOptions {
  /** The path of the schema's root, which the paths of errors begin with. @default 'schema' */
  readonly path?: string | undefined
}

/**
 * The schema of a CustomResourceDefinition that accepts the same values as another schema: a JSON Schema, or a schema with Standard JSON Schema.
 *
 * The API server accepts only *structural* schemas: each field has a single type, outside of `anyOf` and the like. Other schemas are
 * rewritten: unions are merged, references are inlined, a string or an integer is an int-or-string, unknown fields are preserved if the schema
 * allows them. `x-kubernetes-*` fields (list types, CEL rules) stay unchanged. A schema that is structural already stays the same.
 *
 * @throws OptionTypeError with the path of each part that the server would refuse, or that would be lost
 *
 * @example
 * ```ts
 * import { structuralSchema } from '@wherry/crd'
 *
 * const schema = { type: 'object', properties: { port: { anyOf: [{ type: 'integer' }, { type: 'string' }] } } }
 * console.log(structuralSchema(schema).properties?.port) // { 'x-kubernetes-int-or-string': true }
 * ```
 */
export function structuralSchema(schema: AnySchema, options: StructuralOptions = {}): StructuralSchema {
  const { structural, problems } = converted(schema, options)
  if (problems.length > 0) throw problemsError(problems)
  return structural
}

/**
 * The problems for which {@link structuralSchema} would throw an error, as data; an empty list for a schema that a definition can have.
 *
 * @example
 * ```ts
 * import { schemaProblems } from '@wherry/crd'
 *
 * const schema = { type: 'object', properties: { code: { type: 'string', pattern: '^(?!0)' } } }
 * console.log(schemaProblems(schema, { path: 'spec' }).map(({ path }) => path)) // [ 'spec.code' ]
 * ```
 */
export function schemaProblems(schema: AnySchema, options: StructuralOptions = {}): readonly SchemaProblem[] {
  return converted(schema, options).problems
}

interface Converted {
  readonly structural: StructuralSchema
  readonly problems: readonly SchemaProblem[]
}

function converted(schema: AnySchema, { path = 'schema' }: StructuralOptions): Converted {
  const json = jsonSchemaOf(schema, path)
  const context = new Context(json, isStandard(schema))
  const structural = withNullRules(convert(json, path, ['#'], context), path, context)
  checkDefaults(structural, path, context)
  return { structural, problems: context.problems }
}

/** Keywords that limit values and that a CustomResourceDefinition can't have, with the remedy for each. */
const unsupported: Readonly<Record<string, string>> = {
  if: 'Write the condition as a CEL rule.',
  contains: 'Write it as a CEL rule: self.exists(item, …).',
  dependencies: 'Write it as a CEL rule: !has(self.a) || has(self.b).',
  dependentRequired: 'Write it as a CEL rule: !has(self.a) || has(self.b).',
  dependentSchemas: 'Write it as a CEL rule.',
  patternProperties: 'Write it as a map, with a CEL rule for its keys: self.all(key, key.matches(…)).',
  unevaluatedItems: 'Leave it out.',
}

/** Converts a schema. `trail` has the references around it. */
function convert(input: unknown, path: string, trail: readonly string[], context: Context): StructuralSchema {
  if (input === true) return anything()
  if (!isRecord(input)) return context.refuse(path, 'accepts no value. Leave the field out.')
  const resolved = resolve(input, path, trail, context)
  if (resolved === undefined) return anything()
  const schema = asMap(resolved.schema)
  for (const [keyword, remedy] of Object.entries(unsupported))
    if (keyword in schema)
      context.refuse(path, `uses '${keyword}', which the schema of a CustomResourceDefinition does not have. ${remedy}`)
  if (typeof schema[unrepresentable] === 'string')
    return context.refuse(
      path,
      `is a ${schema[unrepresentable]}, which JSON does not have. ${remedies(schema[unrepresentable])}`,
    )
  if (schema[refined] === true && schema['x-kubernetes-validations'] === undefined)
    context.refuse(
      path,
      "has a check in TypeScript (a refinement), which the API server can't run. Add the same as a CEL rule in the metadata 'x-kubernetes-validations'.",
    )
  const inner = (part: unknown, step: string): StructuralSchema =>
    convert(part, `${path}${step}`, resolved.trail, context)

  const { anyOf, oneOf, allOf, ...rest } = schema
  const own: Record<string, unknown> = rest
  const unions = Object.entries({ anyOf, oneOf }).filter((entry): entry is ['anyOf' | 'oneOf', unknown[]] =>
    Array.isArray(entry[1]),
  )
  // A schema of several types is a union of schemas of one type.
  const types = Array.isArray(own.type) ? own.type.filter(type => type !== 'null') : []
  const nullable = Array.isArray(own.type) && own.type.includes('null')
  if (types.length > 1) {
    delete own.type
    unions.push(['anyOf', types.map(type => ({ ...limitsOf(own, type), type }))])
  } else if (Array.isArray(own.type)) own.type = types[0]
  const parts: StructuralSchema[] = []
  const limits: StructuralSchema[] = []
  if (Array.isArray(allOf)) {
    const [plain, others] = apart(allOf, own)
    if (plain.length > 0) limits.push(limiting({ allOf: plain }, path, context))
    parts.push(...others.map(part => inner(withType(part, own.type), '')))
  }
  for (const [keyword, branches] of unions) {
    const [, others] = apart(branches, own)
    if (others.length === 0 || isIntOrString(own, branches))
      limits.push(limiting({ [keyword]: branches }, path, context))
    else
      parts.push(
        unionOf(
          keyword,
          branches.map(branch => withType(branch, own.type)),
          path,
          inner,
          context,
        ),
      )
  }
  const outside = ownPart(types.length > 1 ? about(own) : own, parts, path, inner, context)
  if (nullable) outside.nullable = true
  // Parts that only limit values do not decide about null and unknown fields.
  const says = { nullable: outside.nullable, [unknownFields]: outside[unknownFields] }
  const all = [...limits.map(part => clean({ ...part, ...says })), ...parts]
  const whole = all.reduce((left, right) => intersect(left, right, path, context), outside)
  if (
    nullable &&
    whole.enum !== undefined &&
    (own.enum === undefined || types.length > 1) &&
    allows(allowedValues(own), null)
  )
    whole.enum = [...new Set([...whole.enum, null])]
  const typed = whole.type !== undefined || whole['x-kubernetes-int-or-string'] === true
  return typed ? whole : { ...whole, ...anything() }
}

/**
 * The part of a schema outside of its unions. Without a type of its own, it has the type of the unions, and its limits apply to values of that type, but
 * not to null.
 */
function ownPart(
  own: JsonSchema,
  parts: readonly StructuralSchema[],
  path: string,
  inner: Inner,
  context: Context,
): StructuralSchema {
  const saysType = own.type !== undefined || own['x-kubernetes-int-or-string'] === true
  const values = allowedValues(own)
  const typed = parts.find(part => part.type !== undefined || part['x-kubernetes-int-or-string'] === true)
  if (saysType || typed === undefined || Object.keys(own).every(field => field in about(own)))
    return one(own, path, inner, context)
  const { type, 'x-kubernetes-int-or-string': intOrString } = typed
  const outside = one(
    { ...own, ...(intOrString === true ? { 'x-kubernetes-int-or-string': true } : { type }) },
    path,
    inner,
    context,
  )
  const leavesNull = allows(values, null) && parts.every(part => part.nullable === true)
  const leavesOthers = own.additionalProperties === undefined && parts.every(part => part[unknownFields] === true)
  return { ...outside, ...(leavesNull && { nullable: true }), ...(leavesOthers && { [unknownFields]: true }) }
}

const unknownFields = 'x-kubernetes-preserve-unknown-fields'

/** Whether a value is among the allowed values; undefined allows all. */
function allows(values: readonly unknown[] | undefined, value: unknown): boolean {
  return values === undefined || values.includes(value)
}

/** Turns a pattern that every name matches into a map. TypeBox writes a record with such a pattern. */
function asMap(schema: JsonSchema): JsonSchema {
  const { patternProperties, ...rest } = schema
  if (!isRecord(patternProperties) || rest.additionalProperties !== undefined) return schema
  const [[pattern, values] = [], ...others] = Object.entries(patternProperties)
  const isEvery = others.length === 0 && (pattern === '^.*$' || pattern === '^(.*)$' || pattern === '')
  return isEvery ? { ...rest, additionalProperties: values } : schema
}

function remedies(type: string): string {
  if (type === 'date') return "Use a string of the format 'date-time'."
  if (type === 'bigint') return 'Use an integer: the API server holds 64 bits.'
  if (type === 'set') return "Use a list with 'x-kubernetes-list-type: set'."
  if (type === 'map') return 'Use an object (a record) with string keys.'
  return 'Use a type of JSON.'
}

function anything(): StructuralSchema {
  return { 'x-kubernetes-preserve-unknown-fields': true }
}

/** Separates the parts that only limit values of the schema around them from the other parts. */
function apart(parts: readonly unknown[], outer: JsonSchema): readonly [StructuralSchema[], unknown[]] {
  const typed = outer.type !== undefined || outer['x-kubernetes-int-or-string'] === true
  const plain = parts.filter((part): part is StructuralSchema => typed && onlyLimits(part, outer))
  return [plain, parts.filter(part => !typed || !onlyLimits(part, outer))]
}

/** Checks the patterns in a part of a schema without a type, and returns the part. */
function limiting(limits: StructuralSchema, path: string, context: Context): StructuralSchema {
  const check = (value: unknown, name: string): void => {
    if (name === 'pattern' && typeof value === 'string') {
      const problem = patternProblem(value)
      if (problem !== undefined) context.refuse(path, problem)
    } else if (name !== 'enum' && typeof value === 'object' && value !== null)
      for (const [inner, part] of Object.entries(value)) check(part, inner)
  }
  check(limits, '')
  return limits
}

/** Whether branches are the only union of types that the server accepts, which many definitions have next to `x-kubernetes-int-or-string`. */
function isIntOrString(outer: JsonSchema, branches: readonly unknown[]): boolean {
  return outer['x-kubernetes-int-or-string'] === true && same(branches, [{ type: 'integer' }, { type: 'string' }])
}

/** Adds the type of the schema around a branch of a union or of `allOf`, if the branch has no type. */
function withType(branch: unknown, type: unknown): unknown {
  const says =
    isRecord(branch) && ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'].some(field => field in branch)
  return isRecord(branch) && !says && type !== undefined ? { ...branch, type } : branch
}

/** The union of the branches. A branch that is only `null` makes the union nullable. */
function unionOf(
  keyword: 'anyOf' | 'oneOf',
  branches: readonly unknown[],
  path: string,
  inner: Inner,
  context: Context,
): StructuralSchema {
  const isNull = (branch: unknown): boolean =>
    isRecord(branch) && (branch.type === 'null' || same(allowedValues(branch), [null]))
  const united = unite(
    keyword,
    branches.filter(branch => !isNull(branch)).map(branch => inner(branch, '')),
    path,
    context,
  )
  if (!branches.some(isNull)) return united
  return { ...united, nullable: true, ...(united.enum && { enum: [...new Set([...united.enum, null])] }) }
}

function limitsOf(schema: JsonSchema, type: unknown): JsonSchema {
  const values = allowedValues(schema)
  const isOther = (field: string): boolean => kindsOf(field)?.includes(type as string) === false
  const rest = Object.fromEntries(
    Object.entries(schema).filter(
      ([field]) => !['enum', 'const'].includes(field) && !(field in about(schema)) && !isOther(field),
    ),
  )
  return values === undefined ? rest : { ...rest, enum: values.filter(value => typeOf(value) === type) }
}
