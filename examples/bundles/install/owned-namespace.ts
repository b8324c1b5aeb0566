import { type Client, isNotFound, type ObjectMeta } from '@wherry/client'
import { namespaces } from '@wherry/client/resources/core'
import type { Manifest } from '../bundle/manifests.ts'
import { ownerLabel } from './watched-kinds.ts'

/**
 * Says for which PlatformOperator a namespace was made, by its uid. It has no owner reference: the garbage collector would delete it with
 * all that it holds, whoever has made that.
 */
const madeFor = 'bundles.example.com/made-for'

/** A namespace that stays, since it holds something that is not its owner's. */
export interface Kept {
  readonly name: string
  /** `ConfigMap mine` */
  readonly holds: string
}

/** The namespace as it is applied for a PlatformOperator. */
export function namespaceFor(name: string, owner: string | undefined): Manifest {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations: { [madeFor]: owner ?? '' } } }
}

/** Whether a namespace was made for this owner. */
export function isMadeFor(metadata: ObjectMeta | undefined, owner: string | undefined): boolean {
  return owner !== undefined && metadata?.annotations?.[madeFor] === owner
}

/** Takes the marks off a namespace that stays: it is nobody's from now on. */
export async function unmark(client: Client, { name }: Kept, signal: AbortSignal): Promise<void> {
  const marks = { annotations: { [madeFor]: null }, labels: { [ownerLabel]: null } }
  try {
    await client.patch(namespaces, { name }, { metadata: marks }, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
