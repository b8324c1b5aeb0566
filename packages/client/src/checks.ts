/**
 * How Wherry's packages check what they are given, and what was thrown: an option of the wrong type is an `OptionTypeError`, a value that it
 * does not take an `OptionRangeError`, both with a `code`, the option's name and what it takes.
 *
 * For packages that are built on the client, so that a wrong option reads alike everywhere.
 */
export { asError } from './errors/as-error.ts'
export type { Check } from './errors/check.ts'
export {
  abortSignal,
  anything,
  callback,
  checkOptions,
  flag,
  having,
  integer,
  keyCheck,
  milliseconds,
  oneOf,
  text,
  texts,
  viewCheck,
} from './errors/check.ts'
export { checkStatus, checkWritten } from './errors/object-check.ts'
export type { CheckedKey, KeyScope } from './views/key.ts'
export { checkedKey, checkedNamespace } from './views/key.ts'
