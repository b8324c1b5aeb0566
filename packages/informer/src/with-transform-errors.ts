import type { KubernetesObject, Scope, View } from '@wherry/client'
import { keyText, projector, redactError } from '@wherry/client/internal'
import { TransformError } from './errors.ts'
import { checkProjected } from './store/transformer.ts'

/** The view for reads that bypass a cache. If its projection throws or returns no value, the read throws the `TransformError` that a cache would throw. */
export function withTransformErrors<C, S extends Scope>(view: View<C, S>): View<C, S> {
  const { key, resource, namespaces, shard, labels, fields, projection, within } = view
  const { kind, name } = projection
  if (kind !== 'named') return view
  const project = projector(view as View<C>)
  const checked = (object: object): C => {
    try {
      const value = project(object)
      checkProjected(value)
      return value
    } catch (cause) {
      const { name: named = '', namespace } = (object as KubernetesObject).metadata ?? {}
      throw new TransformError(key, keyText({ name: named, namespace }), redactError(resource, cause))
    }
  }
  const reporting = { kind, name, project: checked }
  return { key, resource, namespaces, shard, labels, fields, projection: reporting, within } as View<C, S>
}
