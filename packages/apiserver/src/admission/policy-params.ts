import { type JsonObject, objectAt, stringAt } from '@wherry/cel/internal'
import type { Registry } from '../definitions/registry.ts'
import type { KubeObject } from '../objects/object.ts'
import { materialise } from '../objects/stored.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { viewOf } from '../resources/view.ts'
import { labelsMatch } from '../selectors/match.ts'
import { objectKey, type Store } from '../store/store.ts'

/** The params of one evaluation of a policy; `object` is undefined if it has no params. */
export interface Param {
  readonly object: KubeObject | undefined
  readonly typed: boolean
}

/** The params that a binding refers to, for a request in a namespace. If none can be used, a text with the reason. */
export function paramsOf(
  type: ResourceType | undefined,
  paramRef: JsonObject | undefined,
  namespace: string,
  { store }: { readonly store: Store },
): readonly Param[] | string {
  if (type === undefined || paramRef === undefined) return [{ object: undefined, typed: false }]
  const given = stringAt(paramRef, 'namespace') ?? ''
  const within = type.namespaced ? given || namespace : ''
  if (type.namespaced && within === '') {
    return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources'
  }
  if (!type.namespaced && given !== '')
    return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`'
  const collection = store.collection(type)
  const name = stringAt(paramRef, 'name') ?? ''
  const one = collection.get(objectKey(within, name))
  const selector = objectAt(paramRef, 'selector') ?? {}
  const found =
    name === ''
      ? collection
          .snapshot(type.namespaced ? `${within}/` : '')
          .filter(version => labelsMatch(selector, version.labels))
      : one === undefined
        ? []
        : [one]
  if (found.length === 0 && stringAt(paramRef, 'parameterNotFoundAction') === 'Deny') {
    return 'no params found for policy binding with `Deny` parameterNotFoundAction'
  }
  return found.map(version => ({
    object: materialise(viewOf(type, version), type.apiVersion, type.kind),
    typed: !type.custom,
  }))
}

/** The resource of a policy's params. A text with the reason, if the resource is unknown. */
export function paramType(
  kind: { readonly apiVersion: string; readonly kind: string } | undefined,
  registry: Registry,
): ResourceType | undefined | string {
  if (kind === undefined) return undefined
  const groupVersion = kind.apiVersion.includes('/') ? kind.apiVersion : `/${kind.apiVersion}`
  return (
    registry.findKind(kind.apiVersion, kind.kind) ??
    `failed to find resource referenced by paramKind: '${groupVersion}, Kind=${kind.kind}'`
  )
}
