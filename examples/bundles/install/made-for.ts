import { type Client, isNotFound, type KubernetesObject, type ObjectMeta, type Resource } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { namespaces } from '@wherry/client/resources/core'
import type { Manifest } from '../bundle/manifests.ts'
import { ownerLabel } from './watched-kinds.ts'

/**
 * Says for which PlatformOperator a namespace or a definition was made, by its uid. These have no owner reference: the garbage collector would
 * delete them with all that they hold, whoever has made that. Empty: the PlatformOperator has gone, and whoever installs the definition next has it.
 */
const madeFor = 'bundles.example.com/made-for'

/** Kinds of objects that take others' objects along when they are deleted. */
const marked: ReadonlyMap<string, Resource<KubernetesObject>> = new Map(
  [namespaces, customResourceDefinitions].map(one => [one.resource.kind, one as unknown as Resource<KubernetesObject>]),
)

/** A namespace or a definition that stays, since it holds something that is not its owner's. */
export interface Kept {
  readonly kind: 'Namespace' | 'CustomResourceDefinition'
  readonly name: string
  /** `ConfigMap mine` */
  readonly holds: string
}

/** Whether objects of a kind are marked, and have no owner reference. */
export function isMarkedKind(kind: string): boolean {
  return marked.has(kind)
}

/** The namespace as it is applied for a PlatformOperator. */
export function namespaceOf(name: string): Manifest {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
}

/** A manifest with the mark, if its kind is marked. */
export function markedFor(manifest: Manifest, owner: string | undefined): Manifest {
  if (!isMarkedKind(manifest.kind)) return manifest
  const { metadata } = manifest
  return { ...manifest, metadata: { ...metadata, annotations: { ...metadata.annotations, [madeFor]: owner ?? '' } } }
}

/** Whether a namespace or a definition was made for this owner. */
export function isMadeFor(metadata: ObjectMeta | undefined, owner: string | undefined): boolean {
  return owner !== undefined && metadata?.annotations?.[madeFor] === owner
}

/** Whether it was made for another owner, which is there still. */
export function isMadeForAnother(metadata: ObjectMeta | undefined, owner: string | undefined): boolean {
  const mark = metadata?.annotations?.[madeFor]
  return mark !== undefined && mark !== '' && mark !== owner
}

/** Takes the marks off what stays: it is nobody's from now on. Whoever installs the definition again gets it back. */
export async function unmark(client: Client, { kind, name }: Kept, signal: AbortSignal): Promise<void> {
  const mark = kind === 'Namespace' ? null : ''
  const marks = { annotations: { [madeFor]: mark }, labels: { [ownerLabel]: null } }
  try {
    await client.patch(marked.get(kind) as Resource<KubernetesObject>, { name }, { metadata: marks } as never, {
      signal,
    })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
