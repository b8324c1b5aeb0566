import { OptionRangeError, OptionTypeError } from '@wherry/client'

/**
 * A path in an object: keys with dots between them (`metadata.labels`), or a list of keys if one contains a dot
 * (`['metadata', 'annotations', 'example.com/owner']`). A path through a list means each item
 * (`spec.containers.image`).
 */
export type Path = string | readonly string[]

/** By key: `true` for everything below the key, otherwise the tree of the paths below it. */
export interface PathTree {
  readonly [key: string]: PathTree | true
}

/** The paths as one tree, by their common beginnings. A path includes longer paths that begin with it. */
export function treeOf(option: string, paths: readonly Path[]): PathTree {
  const root: Branch = new Map()
  for (const path of paths) plant(root, keysOf(option, path))
  return frozen(root)
}

/** The paths in the form of a projection's name: sorted, each once. At least one is required. */
export function textOf(option: string, paths: readonly Path[]): string {
  if (paths.length === 0) throw new OptionRangeError(option, 'at least one path', 'none')
  const texts = paths.map(path => {
    const keys = keysOf(option, path)
    return keys.every(key => /^[^.,+"[\]]+$/.test(key)) ? keys.join('.') : JSON.stringify(keys)
  })
  return [...new Set(texts)].sort().join(',')
}

type Branch = Map<string, Branch | true>

function keysOf(option: string, path: Path): readonly string[] {
  const keys = typeof path === 'string' ? path.split('.') : path
  if (!Array.isArray(keys)) throw new OptionTypeError(option, 'paths: text, or lists of keys', typeof path)
  for (const key of keys) {
    if (typeof key !== 'string') throw new OptionTypeError(option, 'paths of keys', typeof key)
    if (key === '') throw new OptionRangeError(option, 'keys that are not empty', JSON.stringify(path))
  }
  if (keys.length === 0) throw new OptionRangeError(option, 'paths of at least one key', 'an empty one')
  return keys
}

function plant(branch: Branch, [key, ...rest]: readonly string[]): void {
  if (key === undefined) return
  const below = branch.get(key)
  if (below === true) return
  if (rest.length === 0) {
    branch.set(key, true)
    return
  }
  const next: Branch = below ?? new Map()
  branch.set(key, next)
  plant(next, rest)
}

function frozen(branch: Branch): PathTree {
  const tree = Object.create(null) as Record<string, PathTree | true>
  for (const [key, below] of branch) tree[key] = below === true ? true : frozen(below)
  return tree
}
