import { setTimeout as after } from 'node:timers/promises'
import type { Target } from './target.ts'

const withinMs = 300_000
const everyMs = 20

/**
 * Waits until a server's watch cache holds all that has been written of a collection. A real server answers a list, a
 * get or a watch that names a `resourceVersion` out of that cache, and on a busy machine the cache comes behind the writes.
 *
 * `path` may name the collection, one of its objects or a subresource of one. Nothing is done for what is not served.
 */
export async function watchCacheIsCurrent(target: Target, path: string): Promise<void> {
  const collection = collectionIn(path)
  if (collection === undefined) return
  const { status, text } = await target.ask('GET', `${collection}?limit=1`, {})
  if (status !== 200) return
  const { metadata } = JSON.parse(text) as { metadata: { resourceVersion: string } }
  await watchCacheHolds(target, path, metadata.resourceVersion)
}

/** Waits until a server's watch cache of the collection in `path` has come to `version`. It asks for no object. */
export async function watchCacheHolds(target: Target, path: string, version: string): Promise<void> {
  const collection = collectionIn(path)
  if (collection === undefined) return
  const query = `resourceVersion=${version}&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name%3Dnobody`
  const give = performance.now() + withinMs
  for (;;) {
    const { status, text } = await target.ask('GET', `${collection}?${query}`, {})
    if (status === 200) return
    if (performance.now() > give) throw new Error(`${target.name}: the cache of ${collection} stays old: ${text}`)
    await after(everyMs)
  }
}

function collectionIn(path: string): string | undefined {
  return /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+)?\/[^/?]+/.exec(path)?.[0]
}
