import { type StructuralSchema, same } from '../schema/json-schema.ts'
import type { Note } from './change.ts'

const advice = 'Keep the old ones, or change the objects that do not fit first.'

/** Records the changes of `allOf`, `anyOf`, `oneOf` and `not`. */
export function combinationChanges(old: StructuralSchema, next: StructuralSchema, path: string, note: Note): void {
  for (const name of ['allOf', 'anyOf', 'oneOf', 'not'] as const) {
    const [was, is] = [old[name], next[name]]
    if (same(was, is)) continue
    const wider = is === undefined || isWider[name](asList(was), asList(is))
    const change = was === undefined ? `${name} added` : is === undefined ? `${name} removed` : `${name} changed`
    note(path, change, wider ? 'safe' : 'breaks stored objects', wider ? '' : advice)
  }
}

type Branches = readonly StructuralSchema[]

/** Whether the new branches allow all values that the old branches allowed. Branches are compared only as a whole. */
const isWider: Readonly<Record<'allOf' | 'anyOf' | 'oneOf' | 'not', (old: Branches, next: Branches) => boolean>> = {
  allOf: (old, next) => next.every(one => has(old, one)),
  anyOf: (old, next) => old.length > 0 && old.every(one => has(next, one)),
  // With one more branch, a value may fit two branches.
  oneOf: () => false,
  not: () => false,
}

function has(branches: Branches, branch: StructuralSchema): boolean {
  return branches.some(one => same(one, branch))
}

function asList(value: StructuralSchema | Branches | undefined): Branches {
  return Array.isArray(value) ? value : []
}
