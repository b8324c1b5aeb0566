import {
  type Client,
  isConflict,
  isNotFound,
  type KubernetesObject,
  type ObjectKey,
  type Resource,
} from '@wherry/client'
import { servedViewOf } from '../bundle/kinds.ts'
import type { Made } from '../platform-operator.ts'
import { objectOf } from './definition-content.ts'
import { isMadeFor, type Kept } from './made-for.ts'
import { foreignIn } from './namespace-content.ts'

const namespaceKind = 'v1 Namespace'
const definitionKind = 'apiextensions.k8s.io/v1 CustomResourceDefinition'

/**
 * Deletes what was made for an owner, last made first. An object that is not the owner's any more, or never was, stays. A namespace stays,
 * too, if it holds anything that is not the owner's, and so does a definition that has objects: those are returned, and are still marked as the
 * owner's.
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
    const view = await viewOfMade(client, text, signal)
    // Its kind has gone, and all objects of it.
    if (view === undefined) continue
    const key = (view.resource.namespaced ? { name, namespace } : { name }) as ObjectKey
    const { metadata } = (await client.get(view.metadata(), key, { signal })) ?? {}
    // Earlier versions of this program gave definitions an owner reference.
    const isOwned = metadata?.ownerReferences?.some(({ uid, controller }) => uid === owner && controller === true)
    const isOurs = isMadeFor(metadata, owner) || (isOwned === true && !isNamespace(one))
    if (!isOurs) continue
    if (metadata?.deletionTimestamp !== undefined) {
      if (isDefinition(one)) going.add(name)
      continue
    }
    const holds = await contentOf(client, one, { owner, going, signal })
    if (holds !== undefined) {
      kept.push({ kind: isDefinition(one) ? 'CustomResourceDefinition' : 'Namespace', name, holds })
      continue
    }
    if (isDefinition(one)) going.add(name)
    try {
      await client.delete(view, key, { preconditions: { uid: metadata?.uid }, signal })
    } catch (error) {
      // It went meanwhile, or is another one now.
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
  return kept
}

/** What a namespace or a definition holds that is not the owner's; of other kinds nothing. */
async function contentOf(
  client: Client,
  made: Made,
  asked: { readonly owner: string | undefined; readonly going: ReadonlySet<string>; readonly signal: AbortSignal },
): Promise<string | undefined> {
  if (isDefinition(made)) return objectOf(client, { name: made.name, ...asked })
  return isNamespace(made) ? foreignIn(client, { namespace: made.name, ...asked }) : undefined
}

function isDefinition({ kind }: Made): boolean {
  return kind === definitionKind
}

function isNamespace({ kind }: Made): boolean {
  return kind === namespaceKind
}

function viewOfMade(
  client: Client,
  text: string,
  signal: AbortSignal,
): Promise<Resource<KubernetesObject> | undefined> {
  const [apiVersion = '', kind = ''] = text.split(' ')
  return servedViewOf(client, { apiVersion, kind, metadata: { name: '' } }, signal)
}
