import {
  type Client,
  defineResource,
  type KubernetesObject,
  type ObjectKey,
  type Scope,
  type View,
} from '@wherry/client'

interface Asked<T extends KubernetesObject, S extends Scope> {
  readonly client: Client
  readonly view: View<T, S>
  readonly desired: KubernetesObject
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number | undefined
  readonly fieldManager: string | undefined
}

/**
 * Reads the object that made a create fail, if it is the caller's own. A cache may not show it, for example because its label for the cache was
 * removed. An object is the caller's if it has the controller that the desired object names; or, if that names none, if this field manager has
 * written the object and no other object controls it. Resolves with `undefined` for another program's object, and if the object was deleted.
 */
export async function existingObject<T extends KubernetesObject, S extends Scope>({
  client,
  view,
  desired,
  signal,
  timeoutMs,
  fieldManager = client.fieldManager,
}: Asked<T, S>): Promise<T | undefined> {
  const { name, namespace } = desired.metadata ?? {}
  // With a `generateName`, the name of the existing object is unknown.
  if (!name) return undefined
  const full = defineResource<T>(view.resource as never).full() as View<T, S>
  const read = view.projection.kind === 'exact' ? view : full
  const found = await client.get(read, { name, namespace } as ObjectKey<S>, { signal, timeoutMs })
  if (found === undefined) return undefined
  const { managedFields = [], ...metadata } = found.metadata ?? {}
  const [wanted, controller] = [controllerOf(desired), controllerOf(found)]
  const isOurs =
    wanted === controller && (wanted !== undefined || managedFields.some(one => one.manager === fieldManager))
  return isOurs ? { ...found, metadata } : undefined
}

function controllerOf({ metadata }: KubernetesObject): string | undefined {
  return metadata?.ownerReferences?.find(one => one.controller === true)?.uid
}
