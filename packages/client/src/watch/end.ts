import type { InvalidBodyError, LineTooLongError } from '../bytes/bounds.ts'
import type { ApiError } from '../errors/api-error.ts'

/**
 * How a watch ended, so that whoever keeps it going knows what to do:
 *
 * - `closed`: by the server, cleanly. Nothing is wrong: watch on from the last resourceVersion.
 * - `broken`: the stream or its connection broke off or ended in the midst of a line, or outlived its timeout.
 *   `partialLine`: with a line half sent, which was dropped. Watch on from the last resourceVersion.
 * - `refused`: the request was answered with an error status.
 * - `failed`: an ERROR event came in the stream (`isExpired`, `isTooLarge`, … say which).
 * - `unreadable`: a line is no event's JSON, or too long.
 * - `threw`: one of the handlers threw.
 */
export type WatchEnd =
  | { readonly how: 'closed' }
  | { readonly how: 'broken'; readonly error: Error; readonly partialLine: boolean }
  | { readonly how: 'refused'; readonly error: ApiError }
  | { readonly how: 'failed'; readonly error: ApiError }
  | { readonly how: 'unreadable'; readonly error: InvalidBodyError | LineTooLongError }
  | { readonly how: 'threw'; readonly error: unknown }
