import { isObject, type Json, type JsonObject, sameJson, stringAt } from '@wherry/cel/internal'
import { type FieldSet, inOrder, readSet, union } from './field-set.ts'

/** An owner of fields, and these fields: an entry of `metadata.managedFields`. */
export interface Manager {
  readonly name: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
  readonly time: string | undefined
  readonly set: FieldSet | undefined
  /** The entry as it was read, if it is unchanged. */
  readonly entry?: JsonObject | undefined
}

/** Whether two entries have the same manager. A manager that applies is the same at every version. */
export function sameManager(a: Omit<Manager, 'set' | 'time'>, b: Omit<Manager, 'set' | 'time'>): boolean {
  return (
    a.name === b.name &&
    a.operation === b.operation &&
    a.subresource === b.subresource &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  )
}

/** Reads `managedFields`. Returns `undefined` if the value can't be read, which counts as no managers. */
export function readManagers(value: Json | undefined): Manager[] | undefined {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return undefined
  const managers: Manager[] = []
  for (const entry of value as Json[]) {
    if (!isObject(entry)) return undefined
    const operation = stringAt(entry, 'operation')
    const apiVersion = stringAt(entry, 'apiVersion') ?? ''
    if (operation !== 'Apply' && operation !== 'Update') return undefined
    if (apiVersion === '' || stringAt(entry, 'fieldsType') !== 'FieldsV1') return undefined
    const set = readSet(entry.fieldsV1 ?? {})
    if (set === undefined) return undefined
    const manager: Manager = {
      name: stringAt(entry, 'manager') ?? '',
      operation,
      apiVersion,
      subresource: stringAt(entry, 'subresource') ?? '',
      time: stringAt(entry, 'time'),
      set: set ?? undefined,
      entry,
    }
    const at = managers.findIndex(one => sameManager(one, manager))
    if (at === -1) managers.push(manager)
    else managers[at] = manager
  }
  return managers
}

/** Whether a request removes all owners: its list is empty, or has a single empty entry. */
export function isReset(value: Json | undefined): boolean {
  if (!Array.isArray(value) || value.length > 1) return false
  const [entry] = value as Json[]
  return entry === undefined || (isObject(entry) && Object.keys(entry).length === 0)
}

/** The entries in the server's order: managers that apply before managers that update, then by time and name. */
export function writeManagers(managers: readonly Manager[]): JsonObject[] | undefined {
  if (managers.length === 0) return undefined
  return managers.toSorted(byAge).map(manager => manager.entry ?? entryOf(manager))
}

function entryOf({ name, operation, apiVersion, subresource, time, set }: Manager): JsonObject {
  const entry: JsonObject = {}
  if (name !== '') entry.manager = name
  entry.operation = operation
  entry.apiVersion = apiVersion
  if (time !== undefined) entry.time = time
  entry.fieldsType = 'FieldsV1'
  entry.fieldsV1 = inOrder(set ?? {})
  if (subresource !== '') entry.subresource = subresource
  return entry
}

function byAge(a: Manager, b: Manager): number {
  if (a.operation !== b.operation) return a.operation < b.operation ? -1 : 1
  const older = seconds(a) - seconds(b)
  if (older !== 0) return older
  return byText(a.name, b.name) || byText(a.apiVersion, b.apiVersion) || byText(a.subresource, b.subresource)
}

function seconds({ time }: Manager): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000)
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const maxUpdaters = 10

/** Limits the managers that update to ten: the oldest ones of each version are merged into `ancient-changes`. */
export function capped(managers: readonly Manager[]): readonly Manager[] {
  if (managers.length <= maxUpdaters) return managers
  const updaters = managers
    .filter(one => one.operation === 'Update')
    .sort((a, b) => seconds(a) - seconds(b) || byAge(a, b))
  let excess = updaters.length - maxUpdaters
  if (excess <= 0) return managers
  const left = new Set(managers)
  const first = new Map<string, Manager>()
  const buckets = new Map<string, Manager>()
  for (const manager of updaters) {
    if (excess <= 0) break
    const { apiVersion } = manager
    const oldest = first.get(apiVersion)
    if (oldest === undefined) {
      first.set(apiVersion, manager)
      continue
    }
    const bucket = buckets.get(apiVersion) ?? oldest
    left.delete(bucket)
    left.delete(manager)
    const merged: Manager = {
      name: 'ancient-changes',
      operation: 'Update',
      apiVersion,
      subresource: '',
      time: manager.time,
      set: union(manager.set, bucket.set),
    }
    buckets.set(apiVersion, merged)
    left.add(merged)
    excess--
  }
  return [...left]
}

/** Returns `next`, or `before` if the two differ only in times: such a write changes nothing. */
export function withOldTimes(next: Json | undefined, before: Json | undefined): Json | undefined {
  if (!Array.isArray(next) || !Array.isArray(before) || next.length !== before.length) return next
  const timeless = (list: readonly Json[]): Json[] =>
    list.map(entry => {
      const { time: _, ...rest } = entry as JsonObject
      return rest
    })
  return sameJson(timeless(next as Json[]), timeless(before as Json[])) ? (before as Json) : next
}
