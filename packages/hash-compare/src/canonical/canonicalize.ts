import { checkOptions, oneOf } from '@wherry/client/internal'
import type { Integers } from './json-rules.ts'
import { printed } from './writer.ts'

/** How a value is printed and hashed. */
export interface CanonicalOptions {
  /**
   * `bigint`: integers may be `bigint`, as an `exact()` view reads integers beyond 2^53 − 1; they are written digit for digit. Smaller `bigint`s have the
   * same text as numbers.
   * @default 'number'
   */
  readonly integers?: Integers | undefined
}

/** The option `integers`, checked. */
export function integersOf(path: string, options: CanonicalOptions | undefined): Integers {
  if (options !== undefined) checkOptions(path, options, { integers: oneOf('number', 'bigint') })
  return options?.integers ?? 'number'
}

/**
 * Prints plain JSON so that equal values give equal text, by RFC 8785 (https://www.rfc-editor.org/rfc/rfc8785): keys in the order of their UTF-16
 * code units, no white space, numbers as JavaScript prints them, and only necessary escapes.
 *
 * Members that are `undefined` are left out. Keys that are symbols are ignored; `__proto__` is a key like any other. `toJSON` is not called: the
 * value must be a result of `JSON.parse`, or an equal literal.
 *
 * @throws InexactIntegerError for an integer beyond 2^53 − 1 in a number, also `1e21`, because its exact value is not known (the RFC would print
 * it)
 * @throws NotJsonError for everything else that JSON can't express: a number that is not finite, a `bigint` (unless allowed), a function, a symbol,
 * `undefined` as the value or in a list (also a hole), a lone surrogate in a string or key, an object of a class (Date, Map, Buffer…), a cycle,
 * more than 1,000 levels
 * @example
 * ```ts
 * import { canonicalize } from '@wherry/hash-compare'
 *
 * console.log(canonicalize({ players: 2, name: 'chess', note: undefined })) // {"name":"chess","players":2}
 * console.log(canonicalize({ points: 2n ** 60n }, { integers: 'bigint' })) // {"points":1152921504606846976}
 * ```
 */
export function canonicalize(value: unknown, options?: CanonicalOptions): string {
  let text = ''
  const take = (piece: Buffer): string => {
    text += piece.toString()
    return text
  }
  return printed(value, integersOf('canonicalize', options), take, take)
}
