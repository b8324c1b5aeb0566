import type { JsonObject, Schema } from '@wherry/cel/internal'
import type { StatusCause } from '../status.ts'
import { applyDefaults } from './defaults.ts'
import { validateEmbedded } from './embedded.ts'
import { validateListTypes } from './list-types.ts'
import { type Pruned, prune } from './prune.ts'
import { validate } from './validate.ts'

/** An object as the server reads it: defaults are filled in (if `defaults` is true), unknown fields are removed. */
export function decode(schema: Schema, object: JsonObject, defaults: boolean = true): Pruned {
  return prune(schema, defaults ? applyDefaults(schema, object) : object)
}

/** The server's objections to a whole object. With `old`, without objections to unchanged values. */
export function problemsOf(schema: Schema, object: JsonObject, old?: JsonObject | undefined): StatusCause[] {
  const repeatedBefore = old !== undefined && validateListTypes(schema, old).length > 0
  return [
    ...validate(schema, object, old),
    ...validateEmbedded(schema, object),
    ...(repeatedBefore ? [] : validateListTypes(schema, object)),
  ]
}

/** The server's objections to an update of the status alone. */
export function problemsOfStatus(schema: Schema, object: JsonObject, old: JsonObject): StatusCause[] {
  const status = schema.properties.get('status')
  const { status: value } = object
  const repeated = validateListTypes(schema, object)
  const repeatedBefore = repeated.length > 0 && validateListTypes(schema, old).length > 0
  return [
    ...(status === undefined || value === undefined ? [] : validate(status, value, old.status, 'status')),
    ...(repeatedBefore ? [] : repeated),
  ]
}
