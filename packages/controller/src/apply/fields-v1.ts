/**
 * The fields that a manager owns, as `managedFields` has them. `f:NAME` is a field, `k:{…}` an item of a list by its keys,
 * `v:…` an item of a set by its value, `.` the map or item itself. `{}` is a leaf: the manager owns all below it.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export interface FieldsV1 {
  readonly [path: string]: FieldsV1
}

/** The fields that any of several managers owns. */
export function union(managers: readonly FieldsV1[]): FieldsV1 {
  const [first = {}, ...others] = managers
  if (others.length === 0) return first
  const below = new Map<string, FieldsV1[]>()
  for (const fields of managers) {
    for (const [path, one] of Object.entries(fields)) {
      const known = below.get(path)
      if (known === undefined) below.set(path, [one])
      else known.push(one)
    }
  }
  const all: Record<string, FieldsV1> = {}
  for (const [path, each] of below) {
    const merged = union(each)
    // Another manager owns fields below: the map or item itself, which is a leaf of this manager, gets its own entry.
    set(all, path, each.some(isLeaf) && !isLeaf(merged) ? { '.': {}, ...merged } : merged)
  }
  return all
}

/** The same fields, or the same object, without the value at `path`, and without parents that have nothing left. */
export function without<T extends object>(fields: T, [first, ...rest]: readonly string[]): T {
  if (first === undefined || !Object.hasOwn(fields, first)) return fields
  const { [first]: below, ...others } = fields as Readonly<Record<string, unknown>>
  if (rest.length === 0) return others as T
  if (typeof below !== 'object' || below === null || Array.isArray(below)) return fields
  const left = without(below, rest)
  return (Object.keys(left).length === 0 ? others : { ...others, [first]: left }) as T
}

/** The same fields, or the same object, with all that is below `depth` levels as one leaf. */
export function shallow(fields: FieldsV1, depth: number): FieldsV1 {
  if (!isDeeper(fields, depth)) return fields
  if (depth === 0) return {}
  const cut: Record<string, FieldsV1> = {}
  for (const [path, one] of Object.entries(fields)) set(cut, path, shallow(one, depth - 1))
  return cut
}

function isDeeper(fields: FieldsV1, depth: number): boolean {
  for (const path in fields) {
    if (depth === 0 || isDeeper(fields[path] as FieldsV1, depth - 1)) return true
  }
  return false
}

/** The fields below `path`; `undefined` if there are none. */
export function below(fields: FieldsV1, path: readonly string[]): FieldsV1 | undefined {
  let at: FieldsV1 | undefined = fields
  for (const name of path) at = at !== undefined && Object.hasOwn(at, name) ? at[name] : undefined
  return at
}

/** Whether a manager owns everything below, because it set the value as a whole. (`.` alone is the map or item itself without its contents.) */
export function isLeaf(fields: FieldsV1): boolean {
  return Object.keys(fields).length === 0
}

/** `__proto__` is data in an object, as any other key. */
export function set<V>(target: Record<string, V>, key: string, value: V): void {
  Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true })
}
