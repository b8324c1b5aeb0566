import type { View } from '@wherry/client'
import type { CachedInformer, DynamicCache } from '@wherry/dynamic-cache'

/** The informer of just that view, to look at; `undefined` where there is none. None is begun or held by that (rule D9). */
export function informerOf(cache: DynamicCache, { key }: View): CachedInformer<unknown> | undefined {
  return cache.informers.find(({ view }) => view.key === key)
}
