import { OptionRangeError, OptionTypeError } from '@wherry/client'
import { callback, checkOptions, oneOf } from '@wherry/client/internal'
import { type CanonicalOptions, integersOf } from '../canonical/canonicalize.ts'
import { digestOf } from '../canonical/hash.ts'
import type { Integers } from '../canonical/json-rules.ts'
import type { Part, PartFunction } from './part.ts'

/** Named parts of objects of type `T`. Create the parts with {@link parts}, once, at module level. */
export interface Parts<in T, N extends string = string> {
  /** The names of the parts, in the given order. */
  readonly names: readonly N[]
  /** Each part, in the order of `names`. */
  readonly list: readonly Part<T>[]
  readonly integers: Integers
  /** Makes a record of digests. Records of the same parts share a hidden class, without unused space. */
  readonly record: (digests: readonly (string | undefined)[]) => PartHashes<N>
}

/** The digest of each part, by name; `undefined` if the object does not have the part. */
export type PartHashes<N extends string = string> = { readonly [K in N]: string | undefined }

/** The form of a part's name, which also appears in annotations and logs. */
const name = /^[A-Za-z][\w.-]{0,62}$/

/**
 * Names parts of objects, each by a function of the object (or a {@link Part}), so that they can be hashed, compared and written separately.
 *
 * @throws OptionTypeError, OptionRangeError for no parts, a part that is not a function, or a name that is not made of letters, digits, `.`, `_`
 * and `-`, a letter first, up to 63 characters
 * @example
 * ```ts
 * import { parts, specPart, statusPart } from '@wherry/hash-compare'
 *
 * interface Game { spec: { players: number } }
 * const gameParts = parts({ spec: specPart(), status: statusPart })
 * const sizes = parts({ players: (game: Game) => game.spec.players })
 * console.log(gameParts.names, sizes.names) // [ 'spec', 'status' ] [ 'players' ]
 * ```
 */
export function parts<T = object, N extends string = string>(
  definitions: { readonly [K in N]: Part<T> | PartFunction<T> },
  options?: CanonicalOptions,
): Parts<T, N> {
  const given: unknown = definitions
  if (given === null || typeof given !== 'object') throw new OptionTypeError('parts', 'parts by name', typeof given)
  const names = Object.keys(definitions) as N[]
  if (names.length === 0) throw new OptionRangeError('parts', 'at least one part', 'none')
  const list = names.map(each => {
    if (!name.test(each)) throw new OptionRangeError('parts', 'names of letters and digits', JSON.stringify(each))
    return checked(`parts.${each}`, definitions[each])
  })
  return { names, list, integers: integersOf('parts.options', options), record: recordMaker(names) }
}

/**
 * Hashes each part of an object. Throws as `hash` does, with the path in the result of the part's function.
 *
 * @example
 * ```ts
 * import { hashParts, parts, specPart, statusPart } from '@wherry/hash-compare'
 *
 * const content = parts({ spec: specPart(), status: statusPart })
 * const hashes = hashParts({ metadata: { name: 'chess' }, spec: { players: 2 } }, content)
 * console.log(hashes.spec, hashes.status) // v1:… undefined: there is no status
 * ```
 */
export function hashParts<T, N extends string>(object: T, of: Parts<T, N>): PartHashes<N> {
  return of.record(digestsOf(object, of))
}

/** The digest of each part, in the order of its names. */
export function digestsOf<T>(object: T, { list, integers }: Parts<T>): (string | undefined)[] {
  const digests: (string | undefined)[] = []
  for (let i = 0; i < list.length; i++) {
    const value = (list[i] as Part<T>).of(object)
    digests.push(value === undefined ? undefined : digestOf(value, integers))
  }
  return digests
}

function checked<T>(option: string, given: Part<T> | PartFunction<T>): Part<T> {
  if (typeof given === 'function') return { of: given }
  checkOptions(option, given, { of: callback, subresource: oneOf('status'), holds: callback })
  if (given?.of === undefined) throw new OptionTypeError(option, 'a function of an object, or a part', typeof given)
  return given
}

/**
 * Makes a constructor for a set of parts. The engine then allocates the objects with space for exactly their members. An object
 * literal that is filled by name would reserve more space, and keep some members outside of the object.
 */
function recordMaker<N extends string>(names: readonly N[]): Parts<never, N>['record'] {
  class Hashes {
    constructor(digests: readonly (string | undefined)[]) {
      const self = this as unknown as Record<string, string | undefined>
      for (let i = 0; i < names.length; i++) self[names[i] as string] = digests[i]
    }
  }
  return digests => new Hashes(digests) as PartHashes<N>
}
