import type { View } from '@wherry/client'
import type { CachedInformer, DynamicCache } from '@wherry/dynamic-cache'
import type { Registration } from '@wherry/informer'
import { abortable } from '@wherry/informer/internal'

/** The informer of exactly this view, if there is one. Neither starts nor holds an informer (rule D9). */
export function informerOf(cache: DynamicCache, { key }: View): CachedInformer<unknown> | undefined {
  return cache.informers.find(({ view }) => view.key === key)
}

/**
 * Resolves when a handler has received the first state of its informer, or when there is none because the cache waits for the resource
 * (rules C3, D7). Rejects with the signal's reason, or as `whenSynced` of the informer does, which says why if waiting is pointless.
 */
export async function untilReported(
  informer: CachedInformer<unknown>,
  registration: Registration,
  signal: AbortSignal | undefined,
): Promise<void> {
  await abortable(informer.whenSynced({ signal, orAbsent: true }), signal)
  if (!informer.isAbsent) await abortable(registration.whenSynced({ signal }), signal)
}
