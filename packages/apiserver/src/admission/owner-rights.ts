import type { JsonObject } from '@wherry/cel/internal'
import type { AccessAttributes, AccessControl } from '../authn/access.ts'
import type { Registry } from '../definitions/registry.ts'
import type { KubeObject, OwnerReference } from '../objects/object.ts'
import { StatusError } from '../status.ts'
import { type Attributes, shownName } from './review.ts'

/**
 * The admission plugin `OwnerReferencesPermissionEnforcement`: refuses a change of owners to users without the right
 * to delete the object, and an owner with `blockOwnerDeletion` to users without the right to set that owner's finalizers.
 *
 * @throws StatusError
 */
export function confirmOwners(
  access: Pick<AccessControl, 'decide' | 'used'>,
  registry: Registry,
  asked: Attributes,
): void {
  const { type, user, namespace, name, operation, subresource } = asked
  const next = ownersOf(asked.object)
  const before = ownersOf(asked.oldObject)
  if ((type.plural === 'pods' && type.group === '' && subresource === 'status') || sameOwners(next, before)) return
  const denied = (attributes: Omit<AccessAttributes, 'user' | 'path'>): string | undefined => {
    const needed = { ...attributes, user, path: '' }
    const { allowed, reason = '' } = access.decide(needed)
    if (!allowed) return `${reason}, <nil>`
    access.used.note(needed)
    return undefined
  }
  const refuse = (why: string): StatusError => StatusError.forbidden(type, shownName(asked), why)
  if (operation !== 'CREATE') {
    const { group, version, plural } = type
    const why = denied({ verb: 'delete', group, version, resource: plural, namespace, name, subresource })
    if (why !== undefined) throw refuse(`cannot set an ownerRef on a resource you can't delete: ${why}`)
  }
  const blocked = new Set(before.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true).map(({ uid }) => uid))
  for (const owner of next) {
    if (owner.blockOwnerDeletion !== true || blocked.has(owner.uid)) continue
    const found = registry.findKind(owner.apiVersion, owner.kind)
    if (found === undefined) {
      const missing = `no matches for kind ${JSON.stringify(owner.kind)} in version ${JSON.stringify(owner.apiVersion)}`
      const what = `APIVersion ${owner.apiVersion} Kind ${owner.kind}`
      throw refuse(`cannot set blockOwnerDeletion in this case because cannot find RESTMapping for ${what}: ${missing}`)
    }
    const { group, version, plural } = found
    const at = { group, version, resource: plural, namespace: found.namespaced ? namespace : '', name: owner.name }
    const why = denied({ ...at, verb: 'update', subresource: 'finalizers' })
    if (why === undefined) continue
    const what = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
    throw refuse(`${what}: ${why}`)
  }
}

function ownersOf(object: JsonObject | undefined): readonly OwnerReference[] {
  return (object as KubeObject | undefined)?.metadata?.ownerReferences ?? []
}

function sameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  const fields = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'] as const
  return a.length === b.length && a.every((owner, i) => fields.every(field => owner[field] === b[i]?.[field]))
}
