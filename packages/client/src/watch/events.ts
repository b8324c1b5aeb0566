import type { ReadTarget } from '../list/target.ts'
import type { WatchEnd } from './end.ts'
import type { ChangeType } from './line.ts'
import type { WatchStart } from './query.ts'
import { openWatch, type WatchContext, type WatchHandlers, type WatchOptions } from './watch.ts'

/** One event of a watch as an iterable. */
export type WatchEvent<T> =
  | { readonly type: ChangeType; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }

export interface WatchEventsOptions extends WatchOptions {
  /** Receives the error of a line that is no event of this resource and was left out (rule R20). */
  readonly skipped?: WatchHandlers['skipped']
}

/** The number of waiting events from which the stream is paused. */
const highWater = 256
/** The size of waiting events from which the stream is paused, in characters: 256 of the largest objects would be almost a gigabyte. */
const highWaterLength = 1024 * 1024

interface Waiting<T> {
  readonly event: WatchEvent<T>
  readonly length: number
}

/**
 * One watch as an async iterable. It ends when the server closes the watch cleanly, throws on any
 * other end (an `ApiError`, a `ConnectionError`, …), and ends the watch when it is left early. A
 * slow consumer pauses the stream, from 256 events or 1 MiB of them on. The first `next()` opens the watch.
 */
export async function* watchEvents<T>(
  context: WatchContext,
  target: ReadTarget,
  start: WatchStart,
  project: (object: object) => T,
  options: WatchEventsOptions = {},
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { signal } = options
  signal?.throwIfAborted()
  let events: Waiting<T>[] = []
  let count = 0
  let length = 0
  let ended: WatchEnd | undefined
  let wake = (): void => {}
  const isFull = (): boolean => count >= highWater || length >= highWaterLength
  const push = (waiting: Waiting<T>): void => {
    events.push(waiting)
    count += 1
    length += waiting.length
    if (isFull()) watch.hold()
    wake()
  }
  const watch = openWatch(
    context,
    target,
    start,
    {
      event: (type, object, length) => push({ event: { type, object: project(object) }, length }),
      bookmark: (resourceVersion, initialEventsEnd) =>
        push({ event: { type: 'BOOKMARK', resourceVersion, initialEventsEnd }, length: 0 }),
      skipped: error => options.skipped?.(error),
      end(end) {
        ended = end
        wake()
      },
    },
    options,
  )
  const aborted = (): void => wake()
  signal?.addEventListener('abort', aborted, { once: true })
  try {
    for (;;) {
      const batch = events
      events = []
      for (const waiting of batch) {
        if (signal?.aborted) break
        count -= 1
        length -= waiting.length
        yield waiting.event
      }
      if (signal?.aborted) throw signal.reason
      if (!isFull()) watch.release()
      if (events.length > 0) continue
      if (ended?.how === 'closed') return
      if (ended !== undefined) throw ended.error
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  } finally {
    signal?.removeEventListener('abort', aborted)
    watch.abort()
  }
}
