import { type Json, type JsonObject, sameJson } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { type Changes, compare } from './compare.ts'
import type { Conflict } from './conflict.ts'
import { difference, type FieldSet, intersection, member, union, without } from './field-set.ts'
import type { FieldType } from './field-type.ts'
import { capped, isReset, type Manager, readManagers, sameManager, writeManagers } from './managers.ts'

/** The manager of a write, its endpoint, and the fields that the endpoint resets. */
export interface Writing {
  readonly manager: string
  readonly apiVersion: string
  readonly subresource: string
  /** RFC 3339, whole seconds; `undefined` if the entry has no time. */
  readonly time: string | undefined
  /** The type of objects at an apiVersion; `undefined` if the version is not served. */
  readonly typeAt: (apiVersion: string) => FieldType | undefined
  /** Whether the object is a custom resource, which the server can't convert to a version that is no longer served. @default false */
  readonly custom?: boolean | undefined
  /** Fields that this endpoint resets to their old values. */
  readonly reset: FieldSet | undefined
}

/** Fields that never have an owner. */
export const unowned: FieldSet = {
  'f:apiVersion': member,
  'f:kind': member,
  'f:metadata': {
    '.': member,
    'f:name': member,
    'f:namespace': member,
    'f:creationTimestamp': member,
    'f:selfLink': member,
    'f:uid': member,
    'f:clusterName': member,
    'f:generation': member,
    'f:managedFields': member,
    'f:resourceVersion': member,
  },
}

/**
 * The `managedFields` of `next`, which replaces `live` (or is created, if `live` is `undefined`) by an update, a patch or a create. Its writer owns the fields
 * that differ, and nobody owns removed fields. `undefined` if there are no managers.
 *
 * If the live object has no managers, none are added: it was stored without them, or its owners were reset.
 */
export function managedAfterUpdate(
  live: KubeObject | undefined,
  next: KubeObject,
  writing: Writing,
): JsonObject[] | undefined {
  const given = managersOf(live, next, writing.subresource)
  if (given.length === 0 && live !== undefined) return undefined
  const managers = update(given, live, next, writing)
  return writeManagers(managers ?? given)
}

/** The managers before a write: the live object's, unless the request contains others that can be read. */
function managersOf(live: KubeObject | undefined, next: KubeObject, subresource: string): Manager[] {
  const brought = next.metadata.managedFields
  const kept = live?.metadata.managedFields
  if (subresource !== '' || brought === undefined) return readManagers(kept) ?? []
  if (isReset(brought)) return []
  const managers = sameJson(brought, kept) ? undefined : readManagers(brought)
  if (managers === undefined || managers.length === 0) return readManagers(kept) ?? []
  // The client may have written the entries in another form than the server's.
  return managers.map(manager => ({ ...manager, entry: undefined }))
}

/** The managers after an update; `undefined` if all stay unchanged, because the objects can't be compared at a version that is not served. */
export function update(
  given: readonly Manager[],
  live: KubeObject | undefined,
  next: KubeObject,
  writing: Writing,
  name: string = writing.manager,
): readonly Manager[] | undefined {
  const { apiVersion, subresource, time, typeAt, custom = false, reset } = writing
  const type = typeAt(apiVersion)
  if (type === undefined) return undefined
  // The server only logs that it can't compare the objects at that version, and leaves all owners unchanged.
  if (custom && given.some(manager => typeAt(manager.apiVersion) === undefined)) return undefined
  const changes = changesOf(live, next, type, reset, false)
  const others = taken(given, live, next, changes, writing, false)
  const mine = difference(changes.set, unowned)
  if (mine === undefined) return others.managers
  const identity = { name: name === '' ? 'unknown' : name, operation: 'Update', apiVersion, subresource } as const
  const previous = others.managers.find(one => sameManager(one, identity))
  const manager: Manager = { ...identity, time, set: union(mine, previous?.set) }
  return capped([...others.managers.filter(one => one !== previous), manager])
}

/** The differences between two states, without the fields that the endpoint resets. `applied`: the second state is the result of an apply. */
export function changesOf(
  live: KubeObject | undefined,
  next: KubeObject,
  type: FieldType,
  reset: FieldSet | undefined,
  applied: boolean,
): Changes {
  const { set, removed } = compare(contentOf(live), contentOf(next), type, applied)
  return { set: without(set, reset), removed: without(removed, reset) }
}

const empty: Json = { metadata: {} }

/** The object without the owners of its fields, for comparisons. */
export function contentOf(object: KubeObject | undefined): Json {
  if (object === undefined) return empty
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** The managers without the fields that a write takes from them because it changes or removes the fields. */
export function taken(
  given: readonly Manager[],
  live: KubeObject | undefined,
  next: KubeObject,
  changes: Changes,
  { apiVersion, typeAt, reset }: Writing,
  applied: boolean,
): { readonly managers: readonly Manager[]; readonly conflicts: readonly Conflict[] } {
  const byVersion = new Map<string, Changes | undefined>([[apiVersion, changes]])
  const conflicts: Conflict[] = []
  const managers: Manager[] = []
  for (const manager of given) {
    if (!byVersion.has(manager.apiVersion)) {
      const type = typeAt(manager.apiVersion)
      byVersion.set(manager.apiVersion, type === undefined ? undefined : changesOf(live, next, type, reset, applied))
    }
    const found = byVersion.get(manager.apiVersion)
    // The fields of a version that is no longer served have no owner.
    if (found === undefined) continue
    const disputed = intersection(manager.set, found.set)
    if (disputed !== undefined) conflicts.push({ manager, set: disputed })
    const set = difference(difference(manager.set, disputed), found.removed)
    if (set === undefined) continue
    managers.push(
      disputed === undefined && intersection(manager.set, found.removed) === undefined
        ? manager
        : { ...manager, set, entry: undefined },
    )
  }
  return { managers, conflicts }
}
