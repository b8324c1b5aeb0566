import type { JsonObject } from '../json/json.ts'

/** A problem of a field, in the form of a `Status` of the API server. */
export interface StatusCause extends JsonObject {
  reason?: string
  message?: string
  field?: string
}
