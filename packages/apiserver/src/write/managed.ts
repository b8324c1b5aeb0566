import type { Clock } from '../clock.ts'
import type { Registry } from '../definitions/registry.ts'
import { builtinType } from '../fields/builtin-types.ts'
import { customType } from '../fields/custom-types.ts'
import { type FieldSet, member } from '../fields/field-set.ts'
import type { FieldType } from '../fields/field-type.ts'
import { managedAfterUpdate, type Writing } from '../fields/ownership.ts'
import type { KubeObject } from '../objects/object.ts'
import { timestamp } from '../objects/timestamp.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { scaleType } from './scale-owners.ts'
import { statusWrites } from './status-writes.ts'
import type { WriteRequest } from './write-request.ts'

/** The parts of the server that the `managedFields` of a write need. */
export interface WritingHost {
  readonly clock: Clock
  readonly registry: Registry
}

/** Sets the `managedFields` of `next`, which replaces `live` (or is created, if `live` is `undefined`), to the result of this write. */
export function own(host: WritingHost, write: WriteRequest, live: KubeObject | undefined, next: KubeObject): void {
  if (live === undefined) {
    // No create can set these fields, so nobody owns them.
    if (next.metadata.deletionTimestamp !== undefined) delete next.metadata.deletionTimestamp
    if (next.metadata.deletionGracePeriodSeconds !== undefined) delete next.metadata.deletionGracePeriodSeconds
  }
  setManaged(next, managedAfterUpdate(live, next, writingOf(host, write)))
}

export function setManaged({ metadata }: KubeObject, managedFields: KubeObject['metadata']['managedFields']): void {
  if (managedFields !== undefined) metadata.managedFields = managedFields
  else if (metadata.managedFields !== undefined) delete metadata.managedFields
}

/** The manager and the endpoint of a write, from its request. */
export function writingOf({ clock, registry }: WritingHost, { info, request, target, type }: WriteRequest): Writing {
  const manager = info.query.get('fieldManager') ?? ''
  return {
    manager: manager === '' ? managerOf(request.headers['user-agent'] ?? '') : manager,
    apiVersion: type.apiVersion,
    subresource: target.subresource,
    // The server keeps no time for a write of a Scale.
    time: target.subresource === 'scale' ? undefined : timestamp(clock.now()),
    typeAt: apiVersion => {
      if (apiVersion === type.apiVersion) return fieldTypeOf(type)
      const version = apiVersion.split('/').at(-1) as string
      const other = registry.find(type.group, version, type.plural)
      return other === undefined || other.apiVersion !== apiVersion ? undefined : fieldTypeOf(other)
    },
    custom: type.custom,
    reset: resetBy(type, target.subresource),
  }
}

/** Sets the `managedFields` of `next` to the result of a write by the server's own controllers. */
export function ownByServer(
  type: ResourceType,
  live: KubeObject | undefined,
  next: KubeObject,
  { now, subresource }: { readonly now: number; readonly subresource: string },
): void {
  const managed = managedAfterUpdate(live, next, {
    manager: 'apiserver-0000000000000000',
    apiVersion: type.apiVersion,
    subresource,
    time: timestamp(now),
    typeAt: apiVersion => (apiVersion === type.apiVersion ? fieldTypeOf(type) : undefined),
    reset: resetBy(type, subresource),
  })
  setManaged(next, managed)
}

const builtinTypes = new WeakMap<ResourceType, FieldType | undefined>()

/** The type by which the fields of a resource's objects are owned. */
export function fieldTypeOf(type: ResourceType): FieldType | undefined {
  if (type.schema !== undefined) return isScale(type) ? scaleType : customType(type.schema.root)
  const known = builtinTypes.get(type)
  if (known !== undefined) return known
  const found = isScale(type) ? scaleType : builtinType(type.apiVersion, type.kind)
  builtinTypes.set(type, found)
  return found
}

function isScale({ kind, group }: ResourceType): boolean {
  return kind === 'Scale' && group === 'autoscaling'
}

const maxManagerBytes = 128

/** The manager's name for a client: its user agent up to the version, without characters that can't be printed. */
function managerOf(userAgent: string): string {
  const [name = ''] = userAgent.split('/')
  let manager = ''
  let bytes = 0
  for (const character of name) {
    if (/[\p{C}\p{Z}]/u.test(character) && character !== ' ') continue
    bytes += Buffer.byteLength(character)
    if (bytes > maxManagerBytes) break
    manager += character
  }
  return manager
}

const userMetadata = ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const
const statusReset: FieldSet = { 'f:status': member }
const requestReset: FieldSet = { 'f:spec': member, 'f:status': member }

/** The fields that an endpoint resets to their old values, so that its writers do not own them. */
function resetBy(type: ResourceType, subresource: string): FieldSet | undefined {
  if (subresource === 'scale') return undefined
  if (subresource === '' && type.plural === 'certificatesigningrequests') return requestReset
  if (subresource !== 'status') return type.hasStatus ? statusReset : undefined
  const written = statusWrites(type)
  if (written.length === 0) return { 'f:metadata': member, 'f:spec': member }
  const kept = userMetadata.filter(field => !written.includes(field)).map(field => [`f:${field}`, member] as const)
  return kept.length === 0
    ? { 'f:spec': member }
    : { 'f:spec': member, 'f:metadata': { 'f:deletionTimestamp': member, ...Object.fromEntries(kept) } }
}
