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
 * The object that a create has met, if it is the caller's own: a cache does not show it, for example because somebody has removed the label that the
 * cache selects by. An object is the caller's if it has the controller that the desired object names; if that names none, if this field manager has
 * written it, and no object controls it. `undefined` for the object of somebody else, and if it has gone.
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
  // Of a `generateName` it is not known which object was met.
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
