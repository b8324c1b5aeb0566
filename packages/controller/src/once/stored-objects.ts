import { type Client, defineResource, type KubernetesObject, OptionRangeError, type View } from '@wherry/client'
import { keyText } from '@wherry/client/internal'
import { objectId } from '../apply/own-events.ts'
import type { OnceServer } from './options.ts'
import type { Named } from './recorder.ts'

/** Stores objects unchanged. Rejects with an OptionRangeError for an object of a kind that the server does not have. */
export async function store(
  server: OnceServer,
  client: Client,
  objects: readonly KubernetesObject[],
): Promise<Named[]> {
  const named: Named[] = []
  for (const { apiVersion = '', kind = '', metadata = {} } of objects) {
    const slash = apiVersion.indexOf('/')
    const [group, version] = [apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)]
    const found = await client.discover({ group, version, kind })
    if (found === undefined) {
      const takes = 'objects of kinds that the server has: install its definition before'
      throw new OptionRangeError('reconcileOnce.objects', takes, `${apiVersion} ${kind}`)
    }
    const { name = '', namespace = 'default' } = metadata
    const key = found.namespaced ? { name, namespace } : { name }
    named.push({ view: defineResource(found) as unknown as View, key: key as Named['key'] })
  }
  if (objects.length > 0) await server.fill(objects)
  return named
}

/** Reads each object once. Deleted objects are left out. */
export async function readAgain(client: Client, named: readonly Named[]): Promise<KubernetesObject[]> {
  const once = new Map(named.map(one => [idOf(one), one]))
  const found = await Promise.all(
    [...once.values()].map(({ view: { resource }, key }) => client.get(defineResource(resource), key)),
  )
  return found.filter(object => object !== undefined) as KubernetesObject[]
}

/** The name of an object, the same for all views of it. */
export function idOf({ view, key }: Named): string {
  return objectId(view, keyText(key))
}
