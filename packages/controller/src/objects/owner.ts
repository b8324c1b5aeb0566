import {
  type KubernetesObject,
  OptionRangeError,
  OptionTypeError,
  type OwnerReference,
  type View,
} from '@wherry/client'
import { apiVersionOf, checkOptions, flag } from '@wherry/client/internal'
import { named } from './identity.ts'

/** How an owner owns. */
export interface OwnerOptions {
  /** It is the one that controls the object; an object has at most one such owner. @default true */
  readonly controller?: boolean | undefined
  /**
   * A deletion of the owner in the foreground waits for the object. On clusters that check it (OwnerReferencesPermissionEnforcement),
   * this takes the right to update the owner's finalizers.
   * @default true
   */
  readonly blockOwnerDeletion?: boolean | undefined
}

/** An owner that can't own the object: the garbage collector would take it for gone, and delete what it owns. */
export class OwnerError extends Error {
  override readonly name = 'OwnerError'
  readonly code = 'INVALID_OWNER'
}

/** The object has another controller. */
export class AlreadyOwnedError extends Error {
  override readonly name = 'AlreadyOwnedError'
  readonly code = 'ALREADY_OWNED'
  readonly controller: OwnerReference

  constructor(controller: OwnerReference) {
    super(`${controller.kind} ${controller.name} controls it`)
    this.controller = { ...controller, controller: true }
  }
}

/**
 * The reference to `owner` for an object that it owns, in `namespace` (`undefined`: an object of no namespace).
 *
 * @throws OwnerError for a namespaced owner of an object in another namespace or in none.
 * @throws OptionTypeError for an owner without a name or uid, as before it is created.
 */
export function ownerReference(
  view: View,
  owner: KubernetesObject,
  namespace: string | undefined,
  options: OwnerOptions = {},
): OwnerReference {
  checkOptions('ownerReference', options, { controller: flag, blockOwnerDeletion: flag })
  const { resource } = view
  const { name, namespace: home, uid } = named('owner', owner)
  if (uid === undefined)
    throw new OptionTypeError('owner', 'an object with a metadata.uid, as a server gives it', 'none')
  if (resource.namespaced) {
    const at = `${resource.kind} ${home ?? ''}/${name}`
    if (namespace === undefined) throw new OwnerError(`${at} can't own an object of no namespace: ${unowned}`)
    if (home !== namespace) throw new OwnerError(`${at} can't own an object in namespace ${namespace}: ${unowned}`)
  }
  const { controller = true, blockOwnerDeletion = true } = options
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller, blockOwnerDeletion }
}

const unowned = 'apply it with { owner: false }, and delete it with a finalizer'

/** The owner that controls an object, if it has one. */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true)
}

/**
 * The owners of an object with one more, for `metadata.ownerReferences`. A reference to the same object (by uid) is
 * replaced, the others stay; the list that is given is not changed.
 *
 * @throws AlreadyOwnedError where the new one would control and another does.
 */
export function withOwner(owners: readonly OwnerReference[] | undefined, owner: OwnerReference): OwnerReference[] {
  if (owners !== undefined && !Array.isArray(owners)) throw new OptionTypeError('owners', 'a list', typeof owners)
  if (typeof owner?.uid !== 'string' || owner.uid === '')
    throw new OptionRangeError('owner', 'a reference with a uid', 'none')
  const others = (owners ?? []).filter(({ uid }) => uid !== owner.uid)
  const controller = others.find(other => other.controller === true)
  if (owner.controller === true && controller !== undefined) throw new AlreadyOwnedError(controller)
  return [...others, owner]
}
