import type { RequestInfo } from '../errors/request-info.ts'
import { subject } from '../errors/request-info.ts'
import { InvalidObjectError } from '../list/object.ts'
import type { KubernetesObject } from '../views/object.ts'
import { keyText, resourceName } from '../views/path.ts'
import type { View } from '../views/resource.ts'

/**
 * Gives `answer` if it is the object that the request names, and no proxy's page, list or `Status`.
 * @throws InvalidObjectError for an object of another kind or another name.
 */
export function objectOf(view: View, answer: object, about: RequestInfo): object {
  const { kind } = answer as { readonly kind?: unknown }
  // an aggregated API that knows no metadata form answers with the whole
  const known = kind === view.resource.kind || (view.projection.kind === 'metadata' && kind === 'PartialObjectMetadata')
  if (!known) return refuse(view, about, `a ${view.resource.kind}`)
  const { name = '', namespace } = (answer as KubernetesObject).metadata ?? {}
  // A create has no key: the server may have made the name.
  if (about.key !== undefined && about.key !== keyText({ name, namespace })) return refuse(view, about, about.key)
  return answer
}

/** Gives the items of `answer` if it is a list. */
export function itemsOf(view: View, answer: object, about: RequestInfo): readonly object[] {
  const { kind, items } = answer as { readonly kind?: unknown; readonly items?: unknown }
  if (typeof kind !== 'string' || !kind.endsWith('List')) return refuse(view, about, 'a list')
  if (items === undefined || items === null) return []
  return Array.isArray(items) ? items : refuse(view, about, 'a list')
}

/** Whether `answer` says that what was asked for is done, and no more. */
export function isSuccessStatus(answer: object): boolean {
  const { kind, status } = answer as { readonly kind?: unknown; readonly status?: unknown }
  return kind === 'Status' && status === 'Success'
}

function refuse(view: View, about: RequestInfo, what: string): never {
  throw new InvalidObjectError(resourceName(view.resource), `${subject(about)}: the answer is not ${what}`)
}
