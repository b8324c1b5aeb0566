import { createHash } from 'node:crypto'
import type { KubernetesObject, OwnerReference } from '@wherry/client'
import { hash } from '@wherry/hash-compare'
import { traceAnnotation } from '../objects/traceparent.ts'
import { fieldOf } from './field-of.ts'
import { below, type FieldsV1, isLeaf, shallow, without } from './fields-v1.ts'
import { matchedItems } from './matched-items.ts'
import { isEmpty, valuesAt } from './owned-values.ts'

/** The part of an object that one manager owns, by its `managedFields` entry. */
export interface OwnedFields {
  /** The version of the resource that the manager applied. */
  readonly apiVersion: string
  /** The owned fields as JSON, without those of owner references. Empty if the manager owns none. */
  readonly fields: string
  /** A digest of the object's values at these fields. */
  readonly digest: string
  /** A digest of the owner references that the manager owns. Empty if it owns none. */
  readonly owners: string
}

/** The annotation that names the last writer. It is no part of the desired state. */
const traceparent = ['f:metadata', 'f:annotations', `f:${traceAnnotation}`]

const ownerReferences = ['f:metadata', 'f:ownerReferences']

/** Deeper fields are compared as one value: anybody may write an entry that is deeper than the stack. */
const mostDepth = 100

/**
 * The part of an object that `manager` owns by server-side apply; `undefined` if the manager has not applied the object.
 * @param times names of fields that are not compared by value. @default none
 */
export function ownedFields(
  live: KubernetesObject,
  manager: string,
  subresource = '',
  times?: ReadonlySet<string>,
): OwnedFields | undefined {
  const entry = live.metadata?.managedFields?.find(
    one => one.manager === manager && one.operation === 'Apply' && (one.subresource ?? '') === subresource,
  )
  if (entry === undefined) return undefined
  const all = (entry.fieldsV1 ?? {}) as FieldsV1
  const fields = shallow(without(without(all, ownerReferences), traceparent), mostDepth)
  const uids = new Set(
    Object.keys(below(all, ownerReferences) ?? {}).flatMap(path => /^k:\{"uid":"(.*)"\}$/.exec(path)?.[1] ?? []),
  )
  const references = (live.metadata?.ownerReferences ?? []).filter(({ uid }) => uids.has(uid))
  return {
    apiVersion: entry.apiVersion ?? '',
    fields: isLeaf(fields) ? '' : JSON.stringify(fields),
    digest: digestAt(fields, live, times),
    owners: ownersDigest(references),
  }
}

/**
 * Whether the owned fields are exactly the desired ones, with the desired values, so that to apply `desired` would change
 * nothing. It needs no schema. A wrong `false` costs only one request that changes nothing.
 *
 * @param desired the object that would be sent, with its apiVersion
 * @param times names of fields that are not compared by value, as for {@link ownedFields}. @default none
 */
export function isAsDesired(
  owned: OwnedFields | undefined,
  desired: KubernetesObject,
  times?: ReadonlySet<string>,
): boolean {
  const { apiVersion, metadata } = desired
  if (owned === undefined) return false
  if (owned.apiVersion !== apiVersion || owned.owners !== ownersDigest(metadata?.ownerReferences ?? [])) return false
  if (owned.fields === '') return isEmpty(sent(desired))
  const fields = JSON.parse(owned.fields) as FieldsV1
  return covers(fields, sent(desired)) && owned.digest === digestAt(fields, desired, times)
}

/** A digest of the part that a manager owns, without the owners. The text itself may have any length, because anybody may write the object. */
export function ownedDigest({ apiVersion, fields, digest }: OwnedFields): string {
  return createHash('sha256').update(`${apiVersion} ${digest} ${fields}`).digest('base64')
}

/**
 * A digest of owners in any order. References to one object by different versions, or with different flags, are different. It is short, since each object may
 * have owners of its own.
 */
export function ownersDigest(references: readonly OwnerReference[]): string {
  if (references.length === 0) return ''
  const digests = references.map(({ uid, apiVersion, kind, name, controller, blockOwnerDeletion }) =>
    hash([uid, apiVersion, kind, name, controller === true, blockOwnerDeletion === true]),
  )
  return textOfItsOwn(digests.length === 1 ? (digests[0] as string) : hash(digests.sort()))
}

/** Whether an apply of a desired object owns nothing, because the object is only a name. */
export function ownsNothing(desired: KubernetesObject): boolean {
  return isEmpty(sent(desired)) && desired.metadata?.ownerReferences === undefined
}

function digestAt(fields: FieldsV1, object: KubernetesObject, times?: ReadonlySet<string>): string {
  if (isLeaf(fields)) return ''
  return textOfItsOwn(hash(valuesAt(fields, object, times) ?? null, { integers: 'bigint' }))
}

/** 132 bits of a digest, as a string of its own: a slice would keep the whole digest in memory. */
function textOfItsOwn(digest: string): string {
  return Buffer.from(digest, 'latin1').toString('latin1', 0, 22)
}

const unowned: ReadonlySet<string> = new Set(['name', 'namespace', 'uid', 'resourceVersion', 'ownerReferences'])

/** The desired object without its type and name, which no manager owns, and without its owners, which are compared apart. */
function sent({ apiVersion: _, kind: __, metadata = {}, ...rest }: KubernetesObject): object {
  const own = Object.entries(metadata).filter(([name]) => !unowned.has(name))
  return own.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(own) }
}

/** Whether a manager that owns `fields` owns each value of `desired`, and each owned item of a list is desired. */
function covers(fields: FieldsV1, desired: unknown): boolean {
  if (isLeaf(fields)) return true
  if (Array.isArray(desired)) {
    const paths = matchedItems(fields, desired)
    const items = Object.keys(fields).filter(path => path !== '.' && !path.startsWith('f:'))
    if (paths.size !== desired.length || paths.size !== items.length) return false
    return desired.every((item, index) => {
      const path = paths.get(index) as string
      return !path.startsWith('k:') || covers(fields[path] as FieldsV1, keyless(fields[path] as FieldsV1, path, item))
    })
  }
  if (desired === null || typeof desired !== 'object') return false
  return Object.keys(desired).every(name => {
    const value = fieldOf(desired, name)
    const path = `f:${name}`
    if (Object.hasOwn(fields, path))
      return value === undefined || value === null || covers(fields[path] as FieldsV1, value)
    // A manager may own nothing of an empty list or map.
    return value === undefined || value === null || isEmpty(value)
  })
}

/** An item without the keys that the server does not count among its fields. */
function keyless(fields: FieldsV1, path: string, item: unknown): unknown {
  if (item === null || typeof item !== 'object') return item
  const keys = new Set(Object.keys(JSON.parse(path.slice(2)) as object))
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => !keys.has(name) || Object.hasOwn(fields, `f:${name}`)),
  )
}
