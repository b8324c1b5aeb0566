import {
  type Client,
  defineResource,
  type KubernetesObject,
  type ObjectKey,
  type Scope,
  type View,
} from '@wherry/client'

interface ExistingObjectParts<T extends KubernetesObject, S extends Scope> {
  readonly client: Client
  readonly view: View<T, S>
  readonly desired: KubernetesObject
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number | undefined
  readonly fieldManager: string | undefined
}

/**
 * Reads the object that made a create fail, if it is the caller's own. A cache may not show it, for example because its label for the cache was
 * removed. If the desired object names a controller, an object with the same controller is the caller's. If it names none, an object is the caller's
 * if it has no controller, and this field manager has written it. Resolves with `undefined` for another program's object, if the object was deleted,
 * and if `desired` has no name. The result has no `managedFields`.
 */
export async function existingObject<T extends KubernetesObject, S extends Scope>({
  client,
  view,
  desired,
  signal,
  timeoutMs,
  fieldManager = client.fieldManager,
}: ExistingObjectParts<T, S>): Promise<T | undefined> {
  const { name, namespace } = desired.metadata ?? {}
  // With a `generateName`, the name of the existing object is unknown.
  if (!name) return undefined
  const resource = defineResource<T>(view.resource as never)
  // Reads without the selectors of the view, which the object may have left, and with managedFields, which name its writers.
  const read = view.projection.kind === 'exact' ? resource.exact() : resource.full()
  const found = await client.get(read as View<T, S>, { name, namespace } as ObjectKey<S>, { signal, timeoutMs })
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
