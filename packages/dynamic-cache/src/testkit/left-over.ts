import { queryObjects } from 'node:v8'
import { PlainStore, Reflector } from '@wherry/informer'
import { CachedInformer } from '../cached-informer.ts'
import { Entry } from '../entry.ts'
import { Feed } from '../sharing/feed.ts'
import { SharedWatch } from '../sharing/shared-watch.ts'

/** How many of each there are on the heap, counted after a collection of garbage. */
export function leftOver(): Record<string, number> {
  // the leak check of the tests holds on to timers until it looks at them
  const detector = (globalThis as { wherryLeaks?: { open(): unknown } }).wherryLeaks
  detector?.open()
  const classes = { CachedInformer, Entry, Feed, PlainStore, Reflector, SharedWatch }
  return Object.fromEntries(
    Object.entries(classes).map(([name, made]) => [name, queryObjects(made as never, { format: 'count' }) as never]),
  )
}
