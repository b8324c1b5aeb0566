import { type Json, type JsonObject, sameJson } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { StatusError } from '../status.ts'
import { problemsText, typeProblems } from './check.ts'
import { conflictError } from './conflict.ts'
import { difference, type FieldSet, intersection, union, without } from './field-set.ts'
import { fieldSetOf } from './field-set-of.ts'
import type { FieldType } from './field-type.ts'
import { withLastApplied, withoutOwn } from './last-applied.ts'
import { type Manager, readManagers, sameManager, writeManagers } from './managers.ts'
import { merge } from './merge.ts'
import { changesOf, contentOf, taken, unowned, update, type Writing } from './ownership.ts'
import { removeFields, withNamedFields } from './remove.ts'

const beforeFirstApply = 'before-first-apply'

/** The result of an apply: the object, and its `managedFields`. */
export interface Applied {
  readonly object: KubeObject
  readonly managedFields: JsonObject[] | undefined
}

/**
 * Applies a configuration. Sets the fields of `config` in `live` (an object without a uid, if it is new), and removes the fields that its manager applied
 * before, does not apply now, and nobody else owns. Throws 409 for fields of other managers, unless `force` is set, and 500 for a configuration that does not
 * match its type.
 */
export function apply(live: KubeObject, config: KubeObject, writing: Writing, force: boolean): Applied {
  const { apiVersion, manager, subresource, time, typeAt, reset } = writing
  const type = typeAt(apiVersion)
  if (type === undefined) throw new StatusError(500, '', `no corresponding type for ${apiVersion}`)
  let given: readonly Manager[] = readManagers(live.metadata.managedFields) ?? []
  if (given.length === 0) {
    const { uid } = live.metadata
    given = (uid === undefined ? undefined : update([], undefined, live, writing, beforeFirstApply)) ?? given
  }
  const problems = typeProblems(config, type)
  if (problems.length > 0) throw untyped(config, problemsText(problems))
  const content = contentOf(live) as KubeObject
  const identity = { name: manager, operation: 'Apply', apiVersion, subresource } as const
  const last = given.find(one => sameManager(one, identity))
  const others = given.filter(one => one !== last)
  const set = without(fieldSetOf(config, type), reset)
  const next = prune(merge(content, config, type), type, [set, ...others.map(one => one.set)], last) as KubeObject
  const changes = changesOf(live, next, type, reset, true)
  const { managers, conflicts } = taken(others, live, next, changes, writing, true)
  const disputed = force ? [] : withoutOwn(conflicts, live, type, writing)
  if (disputed.length > 0) throw conflictError(disputed)
  const unchanged = sameJson(content, next)
  const owned = difference(set, unowned)
  const mine: Manager[] = owned === undefined ? [] : [{ ...identity, time: unchanged ? last?.time : time, set: owned }]
  const object = withLastApplied(unchanged ? content : next, config, writing)
  return { object, managedFields: writeManagers([...managers, ...mine]) }
}

/** Removes from `merged` the fields that the last configuration had, the new one has not, and nobody owns. */
function prune(
  merged: Json,
  type: FieldType,
  sets: readonly (FieldSet | undefined)[],
  last: Manager | undefined,
): Json {
  if (last?.set === undefined) return merged
  const had = withNamedFields(last.set, type)
  const all = withNamedFields(fieldSetOf(merged, type), type)
  let pruned = removeFields(merged, had, type)
  const owned = sets.reduce<FieldSet | undefined>((sum, set) => union(sum, set), undefined)
  const left = withNamedFields(fieldSetOf(pruned, type), type)
  pruned = removeFields(merged, difference(all, union(left, withNamedFields(owned, type))), type)
  // Only fields of the last configuration itself are removed. A field below a removed one stays.
  const now = withNamedFields(fieldSetOf(pruned, type), type)
  return removeFields(merged, intersection(difference(all, now), had), type)
}

/** A kind as the server prints it: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
export function kindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`
}

/** A configuration's name as the server prints it. */
export function nameOf({ metadata }: KubeObject, type: { readonly apiVersion: string; readonly kind: string }): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${kindOf(type)}`
}

function untyped(config: KubeObject, problem: string): StatusError {
  return new StatusError(500, '', `failed to create typed patch object (${nameOf(config, config)}): ${problem}`)
}
