import { tryDecodeJson } from '../bytes/json.ts'
import { decodeLean } from '../bytes/managed-fields.ts'
import { isOfOtherShard, isOfType, type ReceivedObject, whyStray } from '../list/object.ts'
import type { ReadTarget } from '../list/target.ts'

/** The types of events that carry an object. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** The content of a line of a watch. */
export type WatchLine =
  | { readonly is: 'change'; readonly type: ChangeType; readonly object: object }
  | { readonly is: 'bookmark'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  /** An object of another shard: left out. */
  | { readonly is: 'other' }
  /** `status`: the `Status` of the server. */
  | { readonly is: 'error'; readonly status: unknown }
  /** JSON, but no event of this resource: left out. */
  | { readonly is: 'stray'; readonly why: string }
  /** No JSON, or not that of an event. The lines after it can't be trusted. */
  | { readonly is: 'garbage' }

const initialEventsEnd = 'k8s.io/initial-events-end'
const garbage: WatchLine = { is: 'garbage' }

/**
 * Reads one line of a watch.
 *
 * @param target the watched objects: an event of another object is a stray (rule R20)
 * @param isWhole whether a newline ended the line; without one it may be a part of a line
 */
export function readWatchLine(line: string, target: ReadTarget, isWhole: boolean): WatchLine {
  const { exact, lean } = target
  const decoded = lean && !exact ? decodeLean(line, objectOf, isWhole) : tryDecodeJson(line, exact)
  const event = decoded as Event | null | undefined
  if (event === undefined || event === null) return garbage
  const { type, object } = event
  if (typeof type !== 'string' || typeof object !== 'object' || object === null) return garbage
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return readChange(type, object, target)
    case 'BOOKMARK':
      return readBookmark(object, target)
    case 'ERROR':
      return { is: 'error', status: object }
    default:
      return { is: 'stray', why: 'an event of an unknown type' }
  }
}

interface Event {
  readonly type?: unknown
  readonly object?: unknown
}

const objectOf = (event: unknown): object | null | undefined => (event as { object?: object | null }).object

function readChange(type: ChangeType, object: ReceivedObject, target: ReadTarget): WatchLine {
  const why = object.kind === undefined ? 'has no kind' : whyStray(object, target)
  if (why !== undefined) return { is: 'stray', why: `an object that ${why} (${type})` }
  return isOfOtherShard(object, target) ? { is: 'other' } : { is: 'change', type, object }
}

/**
 * Reads a bookmark. It must have the watched kind, because the bookmark at the end of initial events implies that all other objects are gone (rule X14). The
 * annotation's value counts, and not only its key (rule R10).
 */
function readBookmark(object: ReceivedObject, target: ReadTarget): WatchLine {
  const { kind, metadata } = object
  if (kind === undefined || !isOfType(object, target)) return { is: 'stray', why: 'a bookmark of another kind' }
  const resourceVersion = metadata?.resourceVersion
  if (typeof resourceVersion !== 'string' || resourceVersion === '') {
    return { is: 'stray', why: 'a bookmark without a resourceVersion' }
  }
  const annotations = metadata?.annotations as Readonly<Record<string, unknown>> | null | undefined
  return { is: 'bookmark', resourceVersion, initialEventsEnd: annotations?.[initialEventsEnd] === 'true' }
}
