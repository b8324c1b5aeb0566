import type { Selection } from '../list/target.ts'
import { queryText } from '../views/path.ts'

/** Where a watch starts. */
export interface WatchStart {
  /**
   * Without `initialEvents`: the resourceVersion of a list, an event or a bookmark, after which the watch starts.
   * With `initialEvents`: the initial state is not older than this; `''`: the newest.
   */
  readonly resourceVersion: string
  /**
   * Whether it is a streaming list: all objects as ADDED, a bookmark that ends them, then the watch. The query then also has the
   * resource version match and bookmarks, without which the end never comes (rule R9).
   * @default false
   */
  readonly initialEvents?: boolean | undefined
}

/** The query of a watch. */
export function watchQuery(selection: Selection, start: WatchStart, timeoutSeconds: number): string {
  const initial = start.initialEvents === true
  return queryText({
    ...selection,
    watch: 1,
    allowWatchBookmarks: true,
    resourceVersion: start.resourceVersion,
    sendInitialEvents: initial ? true : undefined,
    resourceVersionMatch: initial ? 'NotOlderThan' : undefined,
    timeoutSeconds,
  })
}

/** A timeout between 290 and 590 s, so that watches do not end together (rule R21). */
export function randomTimeoutSeconds(random: () => number): number {
  return 290 + Math.floor(random() * 301)
}
