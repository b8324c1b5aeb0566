import type { Context } from './context.ts'
import { isRecord, type JsonSchema } from './json-schema.ts'

/** A schema after its `$ref` was followed, and the references that led to it. */
export interface Resolved {
  readonly schema: JsonSchema
  /** The references around the schema. A reference that repeats is a recursion. */
  readonly trail: readonly string[]
}

/** Follows `$ref`. Fields next to a `$ref` override those of its target. Returns undefined after a problem. */
export function resolve(
  schema: JsonSchema,
  path: string,
  trail: readonly string[],
  context: Context,
): Resolved | undefined {
  const { $ref, ...rest } = schema
  if ($ref === undefined) return { schema, trail }
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) {
    context.refuse(path, `refers to ${JSON.stringify($ref)}, which is not in this schema. Bundle the schemas into one.`)
    return undefined
  }
  if (trail.includes($ref)) {
    context.refuse(
      path,
      `is recursive (${$ref} contains itself). The API server has no recursive schemas: limit the depth, or use an object of unknown fields.`,
    )
    return undefined
  }
  const target = at(context.root, $ref)
  if (!isRecord(target)) {
    context.refuse(path, `refers to ${$ref}, which the schema does not have.`)
    return undefined
  }
  return resolve({ ...target, ...rest }, path, [...trail, $ref], context)
}

/** The value at a JSON pointer (RFC 6901) in the fragment of a URI. */
function at(root: JsonSchema, reference: string): unknown {
  const segments = reference.slice(1).split('/').slice(1)
  return segments
    .map(segment => decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, segment) => (isRecord(value) || Array.isArray(value) ? Reflect.get(value, segment) : undefined),
      root,
    )
}

/** Decodes the percent-encoding of a text. Returns the text unchanged if the encoding is not valid. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
