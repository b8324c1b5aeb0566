import { createHash } from 'node:crypto'
import { checkOptions, integer } from '@wherry/client/internal'
import { canonicalize } from './canonicalize.ts'

/** How long a name's hash is. */
export interface NameHashOptions {
  /** The number of characters, 4 to 40. Each is one of 27, so ten are 47 bits. @default 10 */
  readonly length?: number | undefined
}

/** The characters of Kubernetes' own generated names: no vowels, which could make words, and no characters that look alike. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

/**
 * A digest of a value that can stand in a name or in the value of a label: lower-case letters and digits. Equal values have equal digests, on every
 * machine and in every version of this library (rule H1). Put it into an annotation of a Pod template, and the Pods are replaced when the value
 * changes.
 *
 * Accepts the same values as `canonicalize`, and throws the same errors. A hash does not reveal the value, but guesses can be checked against it: do not
 * publish the hash of a short Secret.
 *
 * @example
 * ```ts
 * import { nameHash } from '@wherry/hash-compare'
 *
 * const settings = { colour: 'blue' }
 * const template = {
 *   metadata: { labels: { app: 'chess' }, annotations: { 'example.com/config': nameHash(settings) } },
 *   spec: { containers: [{ name: 'chess', image: 'example.com/chess:1' }] },
 * }
 * ```
 */
export function nameHash(value: unknown, options: NameHashOptions = {}): string {
  checkOptions('nameHash', options, { length: integer(4, 40) })
  const { length = 10 } = options
  let rest = BigInt(`0x${createHash('sha256').update(canonicalize(value), 'utf8').digest('hex')}`)
  let text = ''
  const base = BigInt(alphabet.length)
  for (let i = 0; i < length; i++) {
    text += alphabet[Number(rest % base)]
    rest /= base
  }
  return text
}
