import {
  type KubernetesObject,
  OptionRangeError,
  OptionTypeError,
  type OwnerReference,
  type View,
} from '@wherry/client'
import { apiVersionOf, checkOptions, flag } from '@wherry/client/internal'
import { named } from './identity.ts'

/** How an object owns another. */
export interface OwnerOptions {
  /** Whether the owner controls the object. At most one owner controls an object. @default true */
  readonly controller?: boolean | undefined
  /**
   * Whether a foreground deletion of the owner waits for the object. Clusters with the admission plugin OwnerReferencesPermissionEnforcement require the
   * right to update the owner's finalizers.
   * @default true
   */
  readonly blockOwnerDeletion?: boolean | undefined
}

/** The owner can't own the object: the garbage collector would not find the owner, and would delete the object. */
export class OwnerError extends Error {
  override readonly name = 'OwnerError'
  readonly code = 'INVALID_OWNER'
}

/**
 * Another object controls the object.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { AlreadyOwnedError, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('settings').for(configMaps).reconcile(async ({ apply, log }) => {
 *     await apply(configMaps, { metadata: { name: 'shared' } }).catch(error => {
 *       if (!(error instanceof AlreadyOwnedError)) throw error
 *       log.warn({ owner: error.controller }, 'another object controls the ConfigMap')
 *     })
 *   })
 * }
 * ```
 */
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
 * A reference to `owner` for an object in `namespace` (`undefined`: a cluster-scoped object).
 *
 * @throws OwnerError for a namespaced owner of an object in another namespace or of a cluster-scoped one
 * @throws OptionTypeError for an owner without a name or uid, as before its creation
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { ownerReference } from '@wherry/controller'
 *
 * const client = await Client.connect()
 * const owner = await client.create(configMaps, { metadata: { namespace: 'arcade', name: 'settings' } })
 * const ownerReferences = [ownerReference(configMaps, owner, 'arcade')]
 * await client.create(configMaps, { metadata: { namespace: 'arcade', name: 'settings-copy', ownerReferences } })
 * ```
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
    if (namespace === undefined) throw new OwnerError(`${at} can't own a cluster-scoped object: ${unowned}`)
    if (home !== namespace) throw new OwnerError(`${at} can't own an object in namespace ${namespace}: ${unowned}`)
  }
  const { controller = true, blockOwnerDeletion = true } = options
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller, blockOwnerDeletion }
}

const unowned = 'apply it with { owner: false }, and delete it with a finalizer'

/**
 * The owner that controls an object, if there is one.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { pods } from '@wherry/client/resources/core'
 * import { controllerOf } from '@wherry/controller'
 *
 * const client = await Client.connect()
 * const pod = await client.get(pods, { namespace: 'arcade', name: 'chess-0' })
 * console.log(pod && controllerOf(pod)?.name) // 'chess', of the StatefulSet
 * ```
 */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true)
}

/**
 * A list of owners with one more, for `metadata.ownerReferences`. It replaces a reference to the same object (by uid) and keeps the others; the
 * given list is not changed.
 *
 * @throws AlreadyOwnedError if the new owner would control the object and another one does
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { ownerReference, withOwner } from '@wherry/controller'
 *
 * const client = await Client.connect()
 * const owner = await client.create(configMaps, { metadata: { namespace: 'arcade', name: 'settings' } })
 * await client.modify(configMaps, { namespace: 'arcade', name: 'copy' }, ({ metadata }) => {
 *   const reference = ownerReference(configMaps, owner, 'arcade', { controller: false })
 *   metadata.ownerReferences = withOwner(metadata.ownerReferences, reference)
 * })
 * ```
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
