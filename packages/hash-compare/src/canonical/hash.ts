import { createHash, type Hash, hash as oneShot } from 'node:crypto'
import { type CanonicalOptions, integersOf } from './canonicalize.ts'
import type { Integers } from './json-rules.ts'
import { printed } from './writer.ts'

/** Distinguishes digests that were made in different ways. `v1:` means canonical JSON, SHA-256, the first 144 bits. */
const tag = 'v1:'
/** 24 characters of base64url are 18 bytes. */
const digestLength = 24

const scratch = Buffer.from(tag + ' '.repeat(digestLength), 'latin1')

/**
 * A short digest of a value: `v1:` and 24 characters, the first 144 bits of the SHA-256 of its canonical JSON ({@link canonicalize}). Equal values
 * have equal hashes, on every machine and in every version of this library: a digest that is computed differently has another tag, and so differs.
 *
 * The JSON passes through a small buffer, so a large object is not held twice. Accepts the same values as `canonicalize`, and throws the same errors.
 *
 * A hash does not reveal the value, but guesses can be checked against it: do not publish the hash of a short Secret.
 *
 * @example
 * ```ts
 * import { hash } from '@wherry/hash-compare'
 *
 * const chess = hash({ name: 'chess', players: 2 })
 * console.log(chess.length) // 27: v1: and 24 characters
 * console.log(chess === hash({ players: 2, name: 'chess' })) // true: the order of keys does not count
 * ```
 */
export function hash(value: unknown, options?: CanonicalOptions): string {
  return digestOf(value, integersOf('hash', options))
}

/** Hashes a value as {@link hash} does, with options that are checked already. */
export function digestOf(value: unknown, integers: Integers): string {
  let long: Hash | undefined
  const feed = (piece: Buffer): void => {
    long ??= createHash('sha256')
    long.update(piece)
  }
  return printed(value, integers, feed, rest => {
    const digest = long === undefined ? oneShot('sha256', rest, 'base64url') : long.update(rest).digest('base64url')
    return tagged(digest)
  })
}

/** Makes one string: `tag + digest.slice()` would keep three strings in memory for each hash, because the engine joins and cuts strings by reference. */
function tagged(digest: string): string {
  scratch.write(digest, tag.length, digestLength, 'latin1')
  return scratch.toString('latin1')
}
