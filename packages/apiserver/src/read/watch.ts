import type { Clock } from '../clock.ts'
import type { FaultEffect } from '../faults/fault-rule.ts'
import type { ListOptions } from '../requests/list-options.ts'
import { parseInteger, selects } from '../requests/list-options.ts'
import type { Representation } from '../requests/representation.ts'
import { isTrue } from '../requests/request-info.ts'
import type { Responder } from '../responder.ts'
import { StatusError } from '../status.ts'
import type { Flusher } from './flusher.ts'
import { type ListSource, namedKey, tooLargeAfterMs } from './list.ts'
import { includedOf, tableHead } from './table.ts'
import { WatchStream } from './watch-stream.ts'

const bookmarkEveryMs = 60_000
const lastBookmarkMs = 2000

/** The request of a watch, without the source. */
export interface WatchRequest {
  readonly query: URLSearchParams
  readonly options: ListOptions
  readonly representation: Representation
  readonly responder: Responder
  readonly effects: readonly FaultEffect[]
  readonly clock: Clock
  readonly random: () => number
  readonly flusher: Flusher
}

/** Opens a watch and returns its stream. Throws a refusal before the stream begins. */
export function openWatch(source: ListSource, request: WatchRequest): WatchStream {
  const { query, options, representation, responder, clock } = request
  const { store, type, namespace, watchCache } = source
  const bookmarks = isTrue(query.get('allowWatchBookmarks'))
  const initialAsked = query.get('sendInitialEvents')
  const timeoutMs = timeoutOf(query, request.random)
  if (representation.as === 'table') tableHead(type)
  const include = includedOf(query, representation.as)
  const collection = store.collection(type)
  const asked = options.resourceVersion
  const fresh = asked === undefined || asked === 0
  // A plain watch from "" or "0" is a streaming list too, even if the client did not request one.
  const initial = initialAsked === null ? fresh : isTrue(initialAsked)
  responder.start(initial && initialAsked !== null && bookmarks)
  const stream = new WatchStream({
    responder,
    type,
    selection: options.selection,
    representation,
    clock,
    flusher: request.flusher,
    effects: request.effects,
    after: initial || fresh ? 0 : asked,
    include,
  })
  stream.after(timeoutMs, () => stream.end())
  if (request.effects.some(effect => effect.kind === 'expired')) {
    stream.error(StatusError.expired(`too old resource version: ${asked ?? 0} (${store.revision})`).toStatus())
    return stream
  }
  const key = namedKey(type, namespace, options.selection.fields)
  const prefix = namespace === '' ? '' : `${namespace}/`
  const inScope = (version: { readonly key: string }): boolean =>
    key === undefined ? version.key.startsWith(prefix) : version.key === key
  const begin = (): void => {
    const observer = {
      offer: (version: Parameters<typeof stream.offer>[0]) => {
        if (inScope(version)) stream.offer(version)
      },
    }
    stream.onEnd(collection.observe(key === undefined ? observer : stream, key))
    if (!bookmarks || !watchCache) return
    const bookmark = (): void => {
      // A watch from a resourceVersion that the server has not reached yet receives no bookmark before that version.
      if (store.revision >= (asked ?? 0)) stream.bookmark(store.revision, false)
    }
    const next = (): void => {
      bookmark()
      stream.after(bookmarkEveryMs, next)
    }
    stream.after(bookmarkEveryMs, next)
    if (timeoutMs > lastBookmarkMs) stream.after(timeoutMs - lastBookmarkMs, bookmark)
  }
  if (initial) {
    if (asked !== undefined && asked > store.revision) {
      const status = StatusError.tooLarge(asked, store.revision, watchCache ? 1 : 2).toStatus()
      stream.after(tooLargeAfterMs, () => stream.error(status))
      return stream
    }
    for (const version of collection.snapshot(key ?? prefix)) {
      if (inScope(version) && selects(options.selection, version, type)) stream.initial(version)
    }
    if (bookmarks) stream.bookmark(store.revision, true)
    begin()
    return stream
  }
  if (!fresh) {
    if (asked < collection.logFloor) {
      const message = watchCache
        ? `too old resource version: ${asked} (${collection.logFloor})`
        : 'The resourceVersion for the provided watch is too old.'
      stream.error(StatusError.expired(message).toStatus())
      return stream
    }
    for (const version of collection.changesSince(asked)) if (inScope(version)) stream.offer(version)
  }
  begin()
  return stream
}

function timeoutOf(query: URLSearchParams, random: () => number): number {
  const seconds = parseInteger(query.get('timeoutSeconds')) ?? 0
  return (seconds > 0 ? seconds : 1800 + Math.floor(random() * 1800)) * 1000
}
