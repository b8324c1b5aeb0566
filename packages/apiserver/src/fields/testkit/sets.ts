import fc from 'fast-check'
import { type FieldSet, member, pathsOf, union } from '../field-set.ts'

/** The set of these paths, each as its elements. */
export function setOf(paths: Iterable<readonly string[]>): FieldSet | undefined {
  let set: FieldSet | undefined
  for (const path of paths)
    set = union(
      set,
      path.toReversed().reduce<FieldSet>((below, key) => ({ [key]: below }), member),
    )
  return set
}

/** The paths of a set as texts, which a plain `Set` can hold. */
export function textsOf(set: FieldSet | undefined): Set<string> {
  return new Set([...pathsOf(set)].map(path => path.join(' ')))
}

const element = fc.constantFrom('f:a', 'f:b', 'f:__proto__', 'k:{"n":1}', 'v:"x"')
const path = fc.array(element, { minLength: 1, maxLength: 4 })

/** Any set of few elements, so that two have something in common. */
export const anySet: fc.Arbitrary<FieldSet | undefined> = fc.array(path, { maxLength: 8 }).map(setOf)
