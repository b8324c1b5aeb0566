import { InvalidBodyError } from '../bytes/bounds.ts'
import type { RequestInfo } from '../errors/request-info.ts'
import { subject } from '../errors/request-info.ts'
import { listKindOf, whyUnproved } from '../list/list-proof.ts'
import { InvalidObjectError } from '../list/object.ts'
import type { KubernetesObject } from '../views/object.ts'
import { apiVersionOf, keyText, resourceName } from '../views/path.ts'
import type { View } from '../views/resource.ts'

/**
 * Returns `answer` if it is the object of the request.
 * @throws InvalidObjectError for an object of another kind or name, and for a proxy's page, a list or a `Status`
 */
export function objectOf(view: View, answer: object, about: RequestInfo): object {
  const { kind, apiVersion } = answer as { readonly kind?: unknown; readonly apiVersion?: unknown }
  // An aggregated API that has no metadata form answers with the whole object.
  const isOfVersion = apiVersion === undefined || apiVersion === apiVersionOf(view.resource)
  const isWhole = kind === view.resource.kind && isOfVersion
  if (!isWhole && !(view.projection.kind === 'metadata' && kind === 'PartialObjectMetadata'))
    return refuse(view, about, `a ${view.resource.kind}`)
  const { name = '', namespace } = (answer as KubernetesObject).metadata ?? {}
  // A create has no key: the server may have made the name.
  if (about.key !== undefined && about.key !== keyText({ name, namespace })) return refuse(view, about, about.key)
  return answer
}

/**
 * Returns the items of `answer` if it is the list of the request.
 * @throws InvalidBodyError for any other answer, which proves nothing about the objects
 */
export function itemsOf(view: View, answer: object, about: RequestInfo): readonly object[] {
  const { kind, apiVersion, items } = answer as Readonly<Record<'kind' | 'apiVersion' | 'items', unknown>>
  const type = { kind: view.resource.kind, apiVersion: apiVersionOf(view.resource) }
  const asked = { listKind: listKindOf(view.resource), type, metadata: view.projection.kind === 'metadata' }
  const why = whyUnproved({ kind: textOf(kind), apiVersion: textOf(apiVersion) }, asked)
  if (why !== undefined) throw new InvalidBodyError(why, about)
  if (items === null) return []
  if (!Array.isArray(items)) throw new InvalidBodyError('the answer is no list', about)
  return items
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Whether `answer` is only a `Status` of success. */
export function isSuccessStatus(answer: object): boolean {
  const { kind, status } = answer as { readonly kind?: unknown; readonly status?: unknown }
  return kind === 'Status' && status === 'Success'
}

function refuse(view: View, about: RequestInfo, what: string): never {
  throw new InvalidObjectError(resourceName(view.resource), `${subject(about)}: the answer is not ${what}`)
}
