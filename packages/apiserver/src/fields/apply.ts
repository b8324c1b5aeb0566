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

/** What an apply comes to: the object, and its `managedFields`. */
export interface Applied {
  readonly object: KubeObject
  readonly managedFields: JsonObject[] | undefined
}

/**
 * Applies a configuration: `live` (for a new object: one without a uid) with what `config` says and without what its
 * manager said before, says no more and nobody else owns. Throws 409 for fields of others, unless by `force`; 500 for a
 * configuration that is not of its type.
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

/** Takes from `merged` what the last configuration had, this one has not, and nobody owns. */
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
  // What goes is what the last configuration had itself: nothing goes because it hangs on something that does.
  const now = withNamedFields(fieldSetOf(pruned, type), type)
  return removeFields(merged, intersection(difference(all, now), had), type)
}

/** A kind as the server's texts name it: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
export function kindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`
}

/** A configuration as the server's texts name it. */
export function nameOf({ metadata }: KubeObject, type: { readonly apiVersion: string; readonly kind: string }): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${kindOf(type)}`
}

function untyped(config: KubeObject, problem: string): StatusError {
  return new StatusError(500, '', `failed to create typed patch object (${nameOf(config, config)}): ${problem}`)
}
