import { isRecord } from './json-schema.ts'
import { refined, unrepresentable } from './marks.ts'

/**
 * The options by which libraries mark the fields that JSON Schema can't express, instead of leaving parts out or failing without the path. Each library
 * uses its own options and ignores those of the others.
 */
export const libraryOptions: Record<string, unknown> = {
  // zod
  unrepresentable: 'any',
  override: markZod,
  // arktype
  fallback: markArktype,
  // valibot
  overrideSchema: markValibot,
  overrideAction: ({ errors, jsonSchema }: ValibotContext) =>
    errors === undefined ? undefined : { ...jsonSchema, [refined]: true },
}

/** The argument with which zod calls `override` for each schema that it has converted. */
interface ZodContext {
  readonly zodSchema?: {
    readonly _zod?: { readonly def?: { readonly type?: string; readonly checks?: readonly unknown[] } }
  }
  readonly jsonSchema?: Record<string, unknown>
}

function markZod({ zodSchema, jsonSchema }: ZodContext): void {
  const def = zodSchema?._zod?.def
  if (def === undefined || jsonSchema === undefined) return
  if (def.type !== undefined && notJson.has(def.type)) jsonSchema[unrepresentable] = def.type
  if (def.checks?.some(isFunction)) jsonSchema[refined] = true
}

/** A check by `refine`, `superRefine` or `check`, which is a function of the program. */
function isFunction(check: unknown): boolean {
  const inner = isRecord(check) && isRecord(check._zod) ? check._zod.def : undefined
  return isRecord(inner) && inner.check === 'custom'
}

/** zod's types that JSON does not have. */
const notJson = new Set([
  ...['bigint', 'symbol', 'undefined', 'void', 'date', 'map', 'set', 'nan', 'custom', 'function', 'promise'],
])

/** The argument with which arktype calls `fallback` for a type that it can't express. */
interface ArktypeContext {
  readonly code: string
  readonly base: Record<string, unknown>
  readonly domain?: string
  readonly proto?: { readonly name: string }
}

function markArktype({ code, base, domain, proto }: ArktypeContext): Record<string, unknown> {
  if (code === 'predicate') return { ...base, [refined]: true }
  // Users write the input of a morph, which `base` describes.
  if (code === 'morph') return base
  return { ...base, [unrepresentable]: domain ?? proto?.name.toLowerCase() ?? code }
}

/** Marks loose objects, because valibot's adapter writes them like objects that drop unknown fields. */
function markValibot({ errors, jsonSchema, valibotSchema }: ValibotContext): Record<string, unknown> | undefined {
  if (errors !== undefined) return { [unrepresentable]: valibotSchema?.type }
  return valibotSchema?.type === 'loose_object' ? { ...jsonSchema, additionalProperties: true } : undefined
}

/** The argument with which valibot calls back for each schema and action. `errors` is set if the schema can't be expressed. */
interface ValibotContext {
  readonly errors?: readonly string[]
  readonly jsonSchema?: Record<string, unknown>
  readonly valibotSchema?: { readonly type: string }
}
