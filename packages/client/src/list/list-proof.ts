import type { ListHead } from '../bytes/list-head.ts'
import type { ResourceDefinition } from '../views/resource.ts'
import type { ReadTarget } from './target.ts'

/** The kind of a list of a resource's objects. */
export function listKindOf({ kind, listKind }: Pick<ResourceDefinition, 'kind' | 'listKind'>): string {
  return listKind ?? `${kind}List`
}

/**
 * The reason why an answer is not proved to be the list of `asked`; `undefined` if it is. Objects that a list lacks count as deleted, so a list must have
 * the right type: a `Status`, a bare `List` and a list of another resource prove nothing about the objects.
 *
 * Limit: the metadata form has the same kind for every resource.
 */
export function whyUnproved(
  { kind, apiVersion }: Pick<ListHead, 'kind' | 'apiVersion'>,
  { listKind, type, metadata }: Pick<ReadTarget, 'listKind' | 'type' | 'metadata'>,
): string | undefined {
  if (kind === listKind && apiVersion === type.apiVersion) return undefined
  if (metadata && kind === 'PartialObjectMetadataList' && apiVersion === 'meta.k8s.io/v1') return undefined
  return `the answer is ${named(kind, apiVersion)}, not the ${listKind} of ${type.apiVersion} that was asked for`
}

/** A type of a server's answer, for errors. A text that can't be a type is not repeated. */
function named(kind: string | undefined, apiVersion: string | undefined): string {
  if (kind === undefined) return 'of no kind'
  if (!/^[A-Za-z][A-Za-z0-9]{0,62}$/.test(kind)) return 'of an unreadable kind'
  const isReadable = apiVersion !== undefined && /^[a-z0-9./-]{1,253}$/.test(apiVersion)
  return `a ${kind} of ${isReadable ? apiVersion : 'no API version'}`
}
