/** The part of `./internal` that loads no library, for a process that should stay small. Any release may change these exports. */
export { serviceAccountOf, serviceAccountUser } from '../functions/service-account-user.ts'
export { type Json, type JsonObject, own } from '../json/json.ts'
export { goQuote } from '../structural/go-text.ts'
