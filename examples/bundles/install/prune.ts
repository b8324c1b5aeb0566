import {
  type Client,
  isConflict,
  isNotFound,
  type KubernetesObject,
  type ObjectKey,
  type Resource,
} from '@wherry/client'
import { viewOf } from '../bundle/kinds.ts'
import type { Manifest } from '../bundle/manifests.ts'
import type { Made } from '../platform-operator.ts'
import { foreignIn } from './namespace-content.ts'
import { isMadeFor, type Kept } from './owned-namespace.ts'

const namespaceKind = 'v1 Namespace'
const definitionKind = 'apiextensions.k8s.io/v1 CustomResourceDefinition'

/**
 * Deletes what was made for an owner, last made first. An object that is not the owner's any more, or never was, stays. A namespace stays,
 * too, if it holds anything that is not the owner's: those are returned, and are still marked as the owner's.
 */
export async function prune(
  client: Client,
  owner: string | undefined,
  made: readonly Made[],
  signal: AbortSignal,
): Promise<Kept[]> {
  const going = new Set<string>()
  const kept: Kept[] = []
  // Of what a namespace holds the owner's objects are deleted before it is looked at.
  const inOrder = [...made].reverse().sort((a, b) => Number(isNamespace(a)) - Number(isNamespace(b)))
  for (const one of inOrder) {
    const { kind: text, namespace, name } = one
    const view = viewOfMade(text)
    const key = { name, ...(namespace !== undefined && { namespace }) } as ObjectKey
    const { metadata } = (await client.get(view.metadata(), key, { signal })) ?? {}
    const isOurs = isNamespace(one)
      ? isMadeFor(metadata, owner)
      : metadata?.ownerReferences?.some(({ uid, controller }) => uid === owner && controller === true)
    if (!isOurs) continue
    if (text === definitionKind) going.add(name)
    if (metadata?.deletionTimestamp !== undefined) continue
    if (isNamespace(one)) {
      const holds = await foreignIn(client, { namespace: name, owner, going, signal })
      if (holds !== undefined) {
        kept.push({ name, holds })
        continue
      }
    }
    try {
      await client.delete(view, key, { preconditions: { uid: metadata?.uid }, signal })
    } catch (error) {
      // It went meanwhile, or is another one now.
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
  return kept
}

function isNamespace({ kind }: Made): boolean {
  return kind === namespaceKind
}

function viewOfMade(text: string): Resource<KubernetesObject> {
  const [apiVersion = '', kind = ''] = text.split(' ')
  return viewOf({ apiVersion, kind, metadata: { name: '' } } as Manifest)
}
