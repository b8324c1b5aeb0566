import { fieldsOf, isFields, isSameJson } from '../admission/json.ts'

/**
 * The paths of values that are missing, different or new in a second object, sorted: `spec.board.size`. Items of lists are `[]`. Paths inside of a value
 * that is missing or new are not listed. A missing object equals an empty object.
 */
export function differences(one: unknown, other: unknown): string[] {
  const found = new Set<string>()
  const left: [one: unknown, other: unknown, path: string][] = [[one, other, '']]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [a, b, path] = next
    if (isFields(a) && isFields(b)) {
      for (const key of new Set([...fieldsOf(a), ...fieldsOf(b)]))
        left.push([a[key], b[key], path === '' ? key : `${path}.${key}`])
    } else if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
      for (const [at, item] of a.entries()) left.push([item, b[at], `${path}[]`])
    } else if (!(isHollow(a) && isHollow(b)) && !isSameJson(a, b)) found.add(path)
  }
  return [...found].sort()
}

/** Whether a value is missing, or an object that has only such values. */
function isHollow(value: unknown): boolean {
  const left = [value]
  for (const one of left) {
    if (one === undefined) continue
    if (!isFields(one)) return false
    left.push(...Object.values(one))
  }
  return true
}

/** Whether a path is equal to a parent path, or inside of it. */
export function isWithinAny(path: string, parents: readonly string[]): boolean {
  return parents.some(parent => path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`))
}
