import type { JsonObject } from '../json/json.ts'

/** What is wrong with a field, as a `Status` of the API server has it. */
export interface StatusCause extends JsonObject {
  reason?: string
  message?: string
  field?: string
}
