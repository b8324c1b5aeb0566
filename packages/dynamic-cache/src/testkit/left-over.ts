import { Store } from '@wherry/informer'
import { Reflector } from '@wherry/informer/internal'
import { countInstances } from '@wherry/testing/testkit/count-instances'
import { CachedInformer } from '../cached-informer.ts'
import { Entry } from '../entry.ts'
import { Feed } from '../sharing/feed.ts'
import { SharedWatch } from '../sharing/shared-watch.ts'

/** Counts the objects that a dynamic cache makes, as {@link countInstances} does. */
export function leftOver(): number {
  return countInstances([CachedInformer, Entry, Feed, Store, Reflector, SharedWatch])
}
