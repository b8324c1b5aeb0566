import { isExactNumber, maxDepth } from '../canonical/json-rules.ts'
import { pointer } from '../canonical/pointer.ts'

/** The differing places of two values, up to a limit. */
export interface DifferingPaths {
  /** JSON pointers (RFC 6901) to the values that differ, or that one side lacks; sorted by key. */
  readonly paths: readonly string[]
  /** Whether there are more paths than `limit`. */
  readonly more: boolean
}

/**
 * Finds the innermost places in which two JSON values differ, `limit` of them at most. The result has paths, but never values (rule X3). A
 * list is compared index by index: after an insertion at its beginning, all items differ.
 */
export function differingPaths(a: unknown, b: unknown, limit: number): DifferingPaths {
  const paths: string[] = []
  // One path more than `limit` shows that there are more.
  collect(a, b, '', 0, limit + 1, paths)
  return { paths: paths.slice(0, limit), more: paths.length > limit }
}

function collect(a: unknown, b: unknown, path: string, depth: number, limit: number, paths: string[]): void {
  if (paths.length >= limit || a === b) return
  if (isList(a) && isList(b)) {
    const length = Math.max(a.length, b.length)
    if (depth === maxDepth) return void paths.push(path)
    for (let i = 0; i < length && paths.length < limit; i++) {
      collect(a[i], b[i], pointer(path, i), depth + 1, limit, paths)
    }
  } else if (isObject(a) && isObject(b)) {
    if (depth === maxDepth) return void paths.push(path)
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)].sort())) {
      collect(member(a, key), member(b, key), pointer(path, key), depth + 1, limit, paths)
      if (paths.length >= limit) return
    }
  } else if (!isSameNumber(a, b)) {
    paths.push(path)
  }
}

/** An own member of an object, so that an inherited `constructor` is not found. */
function member(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** Whether two values are written alike, such as `5n` and `5`, or `-0` and `0`. */
function isSameNumber(a: unknown, b: unknown): boolean {
  return isNumber(a) && isNumber(b) && `${a}` === `${b}`
}

function isNumber(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && isExactNumber(value))
}
