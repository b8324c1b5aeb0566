import {
  type CallOptions,
  type Client,
  isConflict,
  isInvalid,
  type JsonPatchOperation,
  type KubernetesObject,
  type ObjectKey,
  OptionTypeError,
  type Scope,
  type View,
} from '@wherry/client'
import { Backoff, checkFinalizerName, isObjectNotFound } from '@wherry/client/internal'
import { named } from './identity.ts'
import { everything } from './views.ts'

/** A finalizer can't be added to an object that is being deleted, which the server forbids, or that is gone. */
export class BeingDeletedError extends Error {
  override readonly name = 'BeingDeletedError'
  readonly code = 'BEING_DELETED'
  readonly finalizer: string

  /** @param how the state of the object, for the message */
  constructor(finalizer: string, how = 'is being deleted') {
    super(`the finalizer ${finalizer} can't be added: the object ${how}`)
    this.finalizer = finalizer
  }
}

/**
 * Whether an object has a finalizer.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { addFinalizer, hasFinalizer, removeFinalizer } from '@wherry/controller'
 *
 * const client = await Client.connect()
 * const settings = await client.get(configMaps, { namespace: 'arcade', name: 'settings' })
 * if (settings !== undefined && !hasFinalizer(settings, 'arcade.example.com/dns')) {
 *   const held = await addFinalizer(client, configMaps, settings, 'arcade.example.com/dns')
 *   await removeFinalizer(client, configMaps, held, 'arcade.example.com/dns')
 * }
 * ```
 */
export function hasFinalizer(object: KubernetesObject, finalizer: string): boolean {
  return object?.metadata?.finalizers?.includes(finalizer) ?? false
}

/**
 * Adds a finalizer by a JSON patch that only applies if the object's finalizers are as they were read (rule C9). If they are not, it reads the
 * object again and retries with backoff, in up to ten attempts. Then it rejects with the server's last answer.
 *
 * Resolves with the object as the view has it. If the object has the finalizer already, it sends no request and resolves with the given object.
 * An object that has left the view's selection is still found. In a controller, `.finalizer(name, cleanup)` calls it for you.
 *
 * @param finalizer `domain/name`, which the server checks
 * @param options `timeoutMs` bounds each request
 * @throws BeingDeletedError for an object with a deletionTimestamp, which takes no new finalizers, and if the object is gone or another object
 *   (by uid) has its name: nothing would be cleaned up then
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { addFinalizer } from '@wherry/controller'
 *
 * const client = await Client.connect()
 * const settings = await client.get(configMaps, { namespace: 'arcade', name: 'settings' })
 * if (settings !== undefined) await addFinalizer(client, configMaps, settings, 'arcade.example.com/dns')
 * ```
 */
export async function addFinalizer<C extends KubernetesObject, S extends Scope>(
  client: Client,
  view: View<C, S>,
  object: C,
  finalizer: string,
  options: CallOptions = {},
): Promise<C> {
  checkFinalizerName(finalizer)
  const changed = await change(client, view, object, options, (finalizers, isBeingDeleted) => {
    if (finalizers.includes(finalizer)) return undefined
    if (isBeingDeleted) throw new BeingDeletedError(finalizer)
    return [...finalizers, finalizer]
  })
  if (changed === undefined) throw new BeingDeletedError(finalizer, 'is gone')
  return changed
}

/**
 * Removes a finalizer, in the way that {@link addFinalizer} adds one. When the last finalizer of an object that is being deleted is removed, the
 * server deletes the object. Resolves with the object as the server then answered, or with the given object if it has no such finalizer;
 * `undefined` if the object is gone or another object (by uid) has its name.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { removeFinalizer } from '@wherry/controller'
 *
 * const client = await Client.connect()
 * const settings = await client.get(configMaps, { namespace: 'arcade', name: 'settings' })
 * if (settings !== undefined) await removeFinalizer(client, configMaps, settings, 'arcade.example.com/dns')
 * ```
 */
export function removeFinalizer<C extends KubernetesObject, S extends Scope>(
  client: Client,
  view: View<C, S>,
  object: C,
  finalizer: string,
  options: CallOptions = {},
): Promise<C | undefined> {
  return change(client, view, object, options, finalizers =>
    finalizers.includes(finalizer) ? finalizers.filter(one => one !== finalizer) : undefined,
  )
}

const maxAttempts = 10

async function change<C extends KubernetesObject, S extends Scope>(
  client: Client,
  view: View<C, S>,
  object: C,
  options: CallOptions,
  edit: (finalizers: readonly string[], isBeingDeleted: boolean) => readonly string[] | undefined,
): Promise<C | undefined> {
  const { name, namespace, uid } = named('object', object)
  if (uid === undefined)
    throw new OptionTypeError('object', 'an object with a metadata.uid, as a server gives it', 'none')
  if (view.projection.kind === 'named') {
    throw new OptionTypeError('view', 'a view with whole metadata', `the projection ${view.projection.name}`)
  }
  const key = { name, namespace } as unknown as ObjectKey<S>
  // The object may have left the view's selection, and still exist.
  const wide = everything(view as unknown as View) as View<unknown> as View<C, S>
  const backoff = new Backoff(client.environment, { initialMs: 10, maxMs: 1000 })
  for (let found = object, attempt = 1; ; attempt += 1) {
    const { finalizers = [], resourceVersion, deletionTimestamp } = found.metadata ?? {}
    const edited = edit(finalizers, deletionTimestamp !== undefined)
    if (edited === undefined) return found
    const patch: readonly JsonPatchOperation[] = [
      { op: 'test', path: '/metadata/uid', value: uid },
      // A `test` of a missing field fails on some servers: the resourceVersion says the same.
      finalizers.length === 0
        ? { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }
        : { op: 'test', path: '/metadata/finalizers', value: finalizers },
      { op: 'add', path: '/metadata/finalizers', value: edited },
    ]
    try {
      return await client.patch(view, key, patch, options)
    } catch (error) {
      if (isObjectNotFound(error)) return undefined
      if (!isStale(error) || attempt === maxAttempts) throw error
    }
    await backoff.wait(options.signal)
    const live = await client.get(wide, key, options)
    if (live?.metadata?.uid !== uid) return undefined
    found = live
  }
}

/** Whether a patch failed because its `test` did: a conflict, or a 422 without causes. A 422 with causes means an invalid object. */
function isStale(error: unknown): boolean {
  return isConflict(error) || (isInvalid(error) && error.causes.length === 0)
}
