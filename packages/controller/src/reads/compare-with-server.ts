import { type Client, isForbidden, type KubernetesObject, type ObjectKey } from '@wherry/client'
import type { NarrowCache } from '@wherry/narrow-cache'
import { metadataOf } from '../objects/views.ts'
import type { TrackedObject } from './tracked-object.ts'

/** How many objects the server is asked for at a time. */
const atATime = 16

/**
 * Asks the server for the metadata of objects that a narrow cache watches, and tells that what there is to be heard of. Those
 * that are polled are looked at, as in their next round.
 */
export async function compareWithServer(
  objects: readonly TrackedObject[],
  client: Client,
  narrow: NarrowCache,
  signal: AbortSignal | undefined,
): Promise<void> {
  const compare = async (object: TrackedObject): Promise<void> => {
    const { view, state, feed } = object
    const { name, namespace } = object.key
    const key = { name, namespace } as ObjectKey
    const { uid } = (state as KubernetesObject | undefined)?.metadata ?? {}
    try {
      if (feed.served === 'polled') return void (await feed.live(signal))
      const there = await client.get(metadataOf(view), key, { signal })
      // Only what was there before: it may have been made again since the server has answered.
      if (there !== undefined) narrow.wrote(view, there)
      else if (uid !== undefined) narrow.deleted(view, key, uid)
    } catch (error) {
      // What may not be read is not known to be otherwise.
      if (!isForbidden(error)) throw error
    }
  }
  for (let from = 0; from < objects.length; from += atATime) {
    await Promise.all(objects.slice(from, from + atATime).map(compare))
  }
}
