import type { Context } from './context.ts'
import { nameOf } from './intersect.ts'
import { propertyOf, type StructuralSchema, same } from './json-schema.ts'
import { acceptsAnything, limitsOf } from './limits.ts'
import { patternOf } from './pattern.ts'

/**
 * The schema of the values that any of the branches accepts. The server requires a field's type outside of a union, so the types of the branches are
 * merged, and each branch keeps only its limits (`enum`, `required`, `not` and the like).
 */
export function unite(
  keyword: 'anyOf' | 'oneOf',
  all: readonly StructuralSchema[],
  path: string,
  context: Context,
): StructuralSchema {
  const branches = all.filter((branch, at) => all.findIndex(other => same(branch, other)) === at)
  const [first, ...others] = branches
  if (first === undefined) return {}
  if (others.length === 0) return first
  if (branches.some(acceptsAnything)) return { 'x-kubernetes-preserve-unknown-fields': true }
  const nullable = branches.some(branch => branch.nullable)
  const { title: _, description: __, ...united } = uniteValues(keyword, branches, path, context)
  return { ...sharedText(branches), ...united, ...(nullable && { nullable }) }
}

/** The title and the description, if all branches have the same. The text of a single branch would be wrong for the others. */
function sharedText(branches: readonly StructuralSchema[]): StructuralSchema {
  const [{ title, description } = {}] = branches
  return {
    ...(title !== undefined && branches.every(branch => branch.title === title) && { title }),
    ...(description !== undefined && branches.every(branch => branch.description === description) && { description }),
  }
}

function uniteValues(
  keyword: 'anyOf' | 'oneOf',
  branches: readonly StructuralSchema[],
  path: string,
  context: Context,
): StructuralSchema {
  const types = [...new Set(branches.map(nameOf))].sort()
  if (types.length > 1) return uniteTypes(types, branches, path, context)
  const values = branches.map(branch => branch.enum)
  const plain = branches.every(branch => Object.keys(limitsOf(branch)).join() === 'enum')
  if (plain && keyword === 'anyOf') return { ...merge(branches), enum: unique(values.flatMap(one => one ?? [])) }
  if (plain && unique(values.flat()).length === values.flat().length)
    return { ...merge(branches), enum: unique(values.flatMap(one => one ?? [])) }
  const shape = shapeOf(branches, path, context)
  const limits = branches.map(branch => limitsWithin(branch, shape, path, context))
  if (limits.some(one => Object.keys(one).length === 0)) {
    // A branch without limits accepts all values of the other branches.
    if (keyword === 'oneOf')
      context.refuse(
        path,
        'is an exclusive union (oneOf), one branch of which accepts what others accept. Use a field that distinguishes them.',
      )
    return shape
  }
  return { ...shape, [keyword]: limits }
}

/** Merges the fields of all branches. The first branch that has a field counts. */
function merge(branches: readonly StructuralSchema[]): StructuralSchema {
  return Object.assign({}, ...branches.toReversed())
}

/** A union of several types. The server has only that of integers and strings. */
function uniteTypes(
  types: readonly string[],
  branches: readonly StructuralSchema[],
  path: string,
  context: Context,
): StructuralSchema {
  const limited = branches.filter(branch => Object.keys(limitsOf(branch)).some(field => field !== 'format'))
  if (types.join() === 'integer,number' && limited.length === 0) return { ...merge(branches), type: 'number' }
  const intOrString = types.every(type => ['integer', 'string', 'integer or string'].includes(type))
  const integers = branches.filter(branch => branch.type === 'integer')
  const strings = branches.filter(branch => branch.type === 'string')
  if (
    intOrString &&
    branches.length <= 2 + Number(strings.every(one => one.enum)) * strings.length &&
    integers.length <= 1
  ) {
    const limits = { ...limitsOf(integers[0] ?? {}), ...limitsOf(strings[0] ?? {}) }
    const union: StructuralSchema = { 'x-kubernetes-int-or-string': true, ...limits }
    delete union.format
    const texts = strings.flatMap(one => one.enum ?? []) as string[]
    const numbers = integers[0]?.enum
    if (texts.length === 0 && numbers === undefined) return union
    if (texts.length > 0 && numbers !== undefined) return { ...union, enum: [...numbers, ...texts] }
    delete union.enum
    // A pattern limits strings only, and leaves integers alone.
    if (texts.length > 0 && union.pattern === undefined) return { ...union, pattern: patternOf(texts) }
  }
  return context.refuse(
    path,
    `is a union of ${types.join(' and ')}. The API server takes one type for a field (or an integer or a string): use an object with a field for each.`,
  )
}

/** The common parts of the branches, with the fields of all branches. */
function shapeOf(branches: readonly StructuralSchema[], path: string, context: Context): StructuralSchema {
  const own = new Set(Object.keys(limitsOf(merge(branches))))
  const kept = Object.entries(merge(branches)).filter(
    ([field, value]) => !own.has(field) && branches.every(branch => same(Reflect.get(branch, field), value)),
  )
  const shape: StructuralSchema = Object.fromEntries(kept)
  const names = unique(branches.flatMap(branch => Object.keys(branch.properties ?? {}))) as string[]
  if (names.length > 0)
    shape.properties = Object.fromEntries(names.map(name => [name, fieldOf(name, branches, path, context)]))
  const required = (branches[0]?.required ?? []).filter(name =>
    branches.every(branch => branch.required?.includes(name)),
  )
  if (required.length > 0) shape.required = required
  const [first] = branches
  if (first?.type === 'array' && shape.items === undefined)
    shape.items = unite(
      'anyOf',
      branches.map(branch => branch.items as StructuralSchema),
      `${path}[]`,
      context,
    )
  for (const field of whole) {
    if (branches.every(branch => same(branch[field], first?.[field]))) continue
    context.refuse(
      path,
      `is a union with branches that have different '${field}'. Only what limits values may differ: say the same in each branch.`,
    )
  }
  return shape
}

/** The keywords that must be equal in all branches. */
const whole = [
  ...(['default', 'additionalProperties', 'x-kubernetes-validations', 'x-kubernetes-preserve-unknown-fields'] as const),
  ...(['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type'] as const),
]

/** A field of the merged object. */
function fieldOf(
  name: string,
  branches: readonly StructuralSchema[],
  path: string,
  context: Context,
): StructuralSchema {
  const fields = branches.flatMap(branch => propertyOf(branch, name) ?? [])
  const at = `${path}.${name}`
  if (fields.length < branches.length && fields.some(field => field.default !== undefined))
    context.refuse(
      at,
      'has a default in one branch of a union. The server would fill it in for every branch: leave the default out.',
    )
  const united = unite('anyOf', fields, at, context)
  // The field has a similar meaning in its branches, so the first description is better than none.
  const description = fields.find(field => field.description !== undefined)?.description
  return united.description === undefined && description !== undefined ? { description, ...united } : united
}

/** The limits of a branch that the merged schema does not have. */
function limitsWithin(
  branch: StructuralSchema,
  shape: StructuralSchema,
  path: string,
  context: Context,
): StructuralSchema {
  const limits = Object.fromEntries(
    Object.entries(limitsOf(branch)).filter(
      ([field, value]) => field !== 'required' && !same(Reflect.get(shape, field), value),
    ),
  ) as StructuralSchema
  const required = branch.required?.filter(name => !shape.required?.includes(name)) ?? []
  if (required.length > 0) limits.required = required
  const inside = Object.entries(branch.properties ?? {}).flatMap(([name, field]) => {
    const merged = propertyOf(shape, name) ?? {}
    if (same(field, merged)) return []
    if (nameOf(field) !== nameOf(merged) && !acceptsAnything(field))
      context.refuse(
        `${path}.${name}`,
        'has another type in each branch of a union. The API server takes one type for a field: give the field of each branch a name of its own.',
      )
    const inner = limitsWithin(field, merged, `${path}.${name}`, context)
    return Object.keys(inner).length > 0 ? [[name, inner] as const] : []
  })
  if (inside.length > 0) limits.properties = Object.fromEntries(inside)
  const [items, merged] = [branch.items, shape.items] as StructuralSchema[]
  if (items && merged && !same(items, merged)) {
    const inner = limitsWithin(items, merged, `${path}[]`, context)
    if (Object.keys(inner).length > 0) limits.items = inner
  }
  exclude(limits, branch, shape, context)
  return limits
}

/** Excludes the fields of other branches from a branch that allows no other fields. */
function exclude(limits: StructuralSchema, branch: StructuralSchema, shape: StructuralSchema, context: Context): void {
  if (!context.closed.has(branch)) return
  const foreign = Object.keys(shape.properties ?? {}).filter(name => propertyOf(branch, name) === undefined)
  if (foreign.length === 0) return
  const not = foreign.length === 1 ? { required: foreign } : { anyOf: foreign.map(name => ({ required: [name] })) }
  if (limits.not === undefined) limits.not = not
  else limits.allOf = [...(limits.allOf ?? []), { not }]
}

function unique(values: readonly unknown[]): unknown[] {
  return values.filter((value, at) => values.findIndex(other => same(value, other)) === at)
}
