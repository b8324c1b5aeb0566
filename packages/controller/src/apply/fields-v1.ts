/**
 * The fields that a manager owns, as `managedFields` has them. `f:NAME` is a field, `k:{…}` an item of a list by its keys,
 * `v:…` an item of a set by its value, `.` the map or item itself. `{}` is a leaf: the manager owns all below it.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export interface FieldsV1 {
  readonly [path: string]: FieldsV1
}

/** The fields that either of two managers owns. */
export function union(one: FieldsV1, other: FieldsV1): FieldsV1 {
  const all: Record<string, FieldsV1> = { ...one }
  for (const [path, below] of Object.entries(other)) {
    const known = Object.hasOwn(all, path) ? all[path] : undefined
    set(all, path, known === undefined ? below : union(known, below))
  }
  return all
}

/** The same fields without those at `path`, and without parents that have nothing left. */
export function without(fields: FieldsV1, [first, ...rest]: readonly string[]): FieldsV1 {
  if (first === undefined || !Object.hasOwn(fields, first)) return fields
  const { [first]: below = {}, ...others } = fields
  if (rest.length === 0) return others
  const left = without(below, rest)
  return Object.keys(left).length === 0 ? others : { ...others, [first]: left }
}

/** The fields below `path`; `undefined` if there are none. */
export function below(fields: FieldsV1, path: readonly string[]): FieldsV1 | undefined {
  let at: FieldsV1 | undefined = fields
  for (const name of path) at = at !== undefined && Object.hasOwn(at, name) ? at[name] : undefined
  return at
}

/** Whether a manager owns all below: it set the value as one. (`.` alone is the map or item itself, and nothing in it.) */
export function isLeaf(fields: FieldsV1): boolean {
  return Object.keys(fields).length === 0
}

/** `__proto__` is data in an object, as any other key. */
export function set<V>(target: Record<string, V>, key: string, value: V): void {
  Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true })
}
