import type { Asker } from '@wherry/apiserver/internal'
import { type JsonObject, objectAt, objectsAt, parseJson, stringAt } from '@wherry/cel/internal'

/** An object without a namespace, by its path and uid. */
export interface ClusterObject {
  readonly path: string
  readonly uid: string
}

/** Resources without a namespace that are not cleaned up: the server makes their objects itself, or the clean-up of namespaces deletes them. */
const kept: ReadonlySet<string> = new Set(['componentstatuses', 'namespaces'])

const discovery = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'
const metadata = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

/** The maximum number of checks whether an object is deleted. Together they take some seconds. */
const maxTries = 300

/** Lists all objects without a namespace that a test may have made, by their uids. */
export async function clusterObjects(asker: Asker): Promise<ReadonlyMap<string, ClusterObject>> {
  const found = new Map<string, ClusterObject>()
  const paths = (await Promise.all(['/api', '/apis'].map(root => collections(asker, root)))).flat()
  for (const path of paths) {
    const { status, text } = await asker.ask('GET', path, undefined, undefined, metadata)
    if (status !== 200) continue
    for (const item of objectsAt(parseJson(text) as JsonObject, 'items')) {
      const itsMetadata = objectAt(item, 'metadata')
      const [name, uid] = [stringAt(itsMetadata, 'name'), stringAt(itsMetadata, 'uid')]
      if (name !== undefined && uid !== undefined) found.set(uid, { path: `${path}/${encodeURIComponent(name)}`, uid })
    }
  }
  return found
}

/** The paths of the collections without a namespace that can be listed and deleted from, each in a single version. */
async function collections(asker: Asker, root: string): Promise<string[]> {
  const { text } = await asker.ask('GET', root, undefined, undefined, discovery)
  return objectsAt(parseJson(text) as JsonObject, 'items').flatMap(group => {
    const name = stringAt(objectAt(group, 'metadata'), 'name') ?? ''
    const seen = new Set<string>()
    return objectsAt(group, 'versions').flatMap(version =>
      objectsAt(version, 'resources').flatMap(resource => {
        const plural = stringAt(resource, 'resource') ?? ''
        const verbs = Array.isArray(resource.verbs) ? resource.verbs : []
        const isOurs = stringAt(resource, 'scope') === 'Cluster' && verbs.includes('list') && verbs.includes('delete')
        if (!isOurs || kept.has(plural) || seen.has(plural)) return []
        seen.add(plural)
        return [`${root}${name === '' ? '' : `/${name}`}/${stringAt(version, 'version')}/${plural}`]
      }),
    )
  })
}

/**
 * Deletes the objects without a namespace that did not exist `before`, and waits until each is deleted. Stops waiting for an object if a finalizer holds it,
 * and after some seconds.
 */
export async function deleteNewObjects(asker: Asker, before: ReadonlyMap<string, ClusterObject>): Promise<void> {
  const now = await clusterObjects(asker)
  for (const { path, uid } of now.values()) {
    if (before.has(uid)) continue
    const preconditions = { uid }
    await asker.ask('DELETE', path, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Background',
      preconditions,
    })
    for (let tries = 0; tries < maxTries; tries++) {
      const { status, text } = await asker.ask('GET', path)
      // If the object's definition is deleted, the answer is a 404 in plain text.
      if (status !== 200) break
      const finalizers = objectAt(parseJson(text) as JsonObject, 'metadata')?.finalizers
      // The server's own finalizer of a definition ends by itself.
      const isHeld =
        Array.isArray(finalizers) && finalizers.some(one => one !== 'customresourcecleanup.apiextensions.k8s.io')
      if (isHeld) break
      await asker.pause()
    }
  }
}
