import { OptionTypeError } from '@wherry/client'
import { anything, checkOptions, integer } from '@wherry/client/internal'
import { type DifferingPaths, differingPaths } from './differing-paths.ts'
import type { Part } from './part.ts'
import type { PartHashes, Parts } from './parts.ts'

/** A part in which two objects differ. */
export interface PartDifference<N extends string = string> {
  readonly part: N
  /**
   * The differing places, as JSON pointers in the result of the part's function; `undefined` if the objects were not given. They contain no values, so
   * the values of a Secret are not exposed, but its keys are.
   */
  readonly paths?: readonly string[] | undefined
  /** There are more paths than these. */
  readonly more?: boolean | undefined
}

/** The objects and parts by which {@link compareParts} finds the differing paths. */
export interface PathsOf<T, N extends string> {
  readonly parts: Parts<T, N>
  /** The objects that were hashed, in the order of the hashes. */
  readonly objects: readonly [T, T]
  /** The maximum number of paths for each part. @default 10 */
  readonly maxPaths?: number | undefined
}

/**
 * Names the parts in which two objects differ, by their hashes, in the order of `a`; an empty list if the objects are equal. A part that only one
 * object has is a difference. With `where`, the result also has the differing paths, for a log or an event. The function then walks the objects again.
 *
 * Digests of another version (another tag than `v1:`) always differ.
 *
 * @example
 * ```ts
 * import { compareParts, hashParts, parts, specPart } from '@wherry/hash-compare'
 *
 * const content = parts({ spec: specPart() })
 * const a = { metadata: { name: 'chess' }, spec: { players: 2 } }
 * const b = { metadata: { name: 'chess' }, spec: { players: 4 } }
 * const differences = compareParts(hashParts(a, content), hashParts(b, content), { parts: content, objects: [a, b] })
 * console.log(differences) // [ { part: 'spec', paths: [ '/spec/players' ], more: false } ]
 * ```
 */
export function compareParts<N extends string, T = never>(
  a: PartHashes<N>,
  b: PartHashes<N>,
  where?: PathsOf<T, N>,
): PartDifference<N>[] {
  const names = new Set([...Object.keys(checked('a', a)), ...Object.keys(checked('b', b))] as N[])
  const differing = [...names].filter(name => digestIn(a, name) !== digestIn(b, name))
  if (where === undefined) return differing.map(part => ({ part }))
  checkOptions('compareParts', where, { parts: anything, objects: anything, maxPaths: integer(1, 1000) })
  const { parts, objects, maxPaths = 10 } = where
  return differing.map(part => ({ part, ...pathsIn(parts, part, objects, maxPaths) }))
}

function pathsIn<T, N extends string>(
  { names, list }: Parts<T, N>,
  part: N,
  [a, b]: readonly [T, T],
  maxPaths: number,
): DifferingPaths | undefined {
  const found = list[names.indexOf(part)] as Part<T> | undefined
  return found && differingPaths(found.of(a), found.of(b), maxPaths)
}

function digestIn(hashes: PartHashes, name: string): string | undefined {
  return Object.hasOwn(hashes, name) ? hashes[name] : undefined
}

function checked<N extends string>(option: string, hashes: PartHashes<N>): PartHashes<N> {
  if (hashes === null || typeof hashes !== 'object') throw new OptionTypeError(option, 'hashes of parts', `${hashes}`)
  return hashes
}
