import { isRecord } from './json-schema.ts'
import { refined, unrepresentable } from './marks.ts'

/**
 * What makes libraries mark the fields that JSON Schema has no words for, instead of leaving something out or failing without the path. Each library
 * takes its own options and ignores those of the others.
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

/** What zod calls for each schema that it has converted. */
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

/** What arktype calls for what it can't express. */
interface ArktypeContext {
  readonly code: string
  readonly base: Record<string, unknown>
  readonly domain?: string
  readonly proto?: { readonly name: string }
}

function markArktype({ code, base, domain, proto }: ArktypeContext): Record<string, unknown> {
  if (code === 'predicate') return { ...base, [refined]: true }
  // What users write is what goes into a morph.
  if (code === 'morph') return base
  return { ...base, [unrepresentable]: domain ?? proto?.name.toLowerCase() ?? code }
}

/** The adapter writes a loose object like one that drops unknown fields. */
function markValibot({ errors, jsonSchema, valibotSchema }: ValibotContext): Record<string, unknown> | undefined {
  if (errors !== undefined) return { [unrepresentable]: valibotSchema?.type }
  return valibotSchema?.type === 'loose_object' ? { ...jsonSchema, additionalProperties: true } : undefined
}

/** What valibot calls for each schema and action; `errors` says that it can't be expressed. */
interface ValibotContext {
  readonly errors?: readonly string[]
  readonly jsonSchema?: Record<string, unknown>
  readonly valibotSchema?: { readonly type: string }
}
