import { keyCheck, readableCheck } from '../errors/check.ts'
import type { RequestInfo } from '../errors/request-info.ts'
import { checkedNamespace } from '../views/key.ts'
import type { KubernetesObject, ObjectKey, Scope } from '../views/object.ts'
import { collectionPath, keyText, objectPath, resourceName } from '../views/path.ts'
import type { ResourceDefinition, View } from '../views/resource.ts'
import { checkSegment } from '../views/segment.ts'
import { isSensitive } from '../views/sensitive.ts'

/** The address of a request, with its description for errors. */
export interface Target extends Omit<RequestInfo, 'method'> {
  readonly path: string
}

/** Errors about secrets contain none of the server's words (rule X3). */
function about(resource: ResourceDefinition): Pick<Target, 'resource' | 'sensitive'> {
  return { resource: resourceName(resource), sensitive: isSensitive(resource) }
}

/** The address of one object. Throws for a key that is not valid, or outside the view's namespaces. */
export function objectTarget<S extends Scope>(view: View<unknown, S>, key: ObjectKey<S>, subresource?: string): Target {
  readableCheck('view', view)
  keyCheck('key', key)
  const path = objectPath(view.resource, key, subresource)
  if (key.namespace !== undefined) checkedNamespace(view, key.namespace)
  return { ...about(view.resource), path, key: keyText(key) }
}

/** The address of a collection: all objects of the view, or those in one of its namespaces. */
export function collectionTarget(view: View, namespace: string | undefined): Target {
  return { ...about(view.resource), path: collectionPath(view.resource, namespace) }
}

/**
 * The key of an object to write. Its default namespace is that of the
 * view, if the view has exactly one.
 */
export function keyOf<S extends Scope>(view: View<unknown, S>, object: KubernetesObject): ObjectKey<S> {
  readableCheck('view', view)
  const name = checkSegment('name', object.metadata?.name, view.resource.plural)
  return { name, namespace: namespaceOf(view, object) } as ObjectKey<S>
}

/** The namespace to which an object is written; `undefined` for a cluster-scoped resource. */
export function namespaceOf(view: View, object: KubernetesObject): string | undefined {
  readableCheck('view', view)
  if (!view.resource.namespaced) return undefined
  const only = view.namespaces?.length === 1 ? view.namespaces[0] : undefined
  return checkedNamespace(view, object.metadata?.namespace ?? only)
}
