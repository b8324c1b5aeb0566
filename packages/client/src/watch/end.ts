import type { InvalidBodyError, LineTooLongError } from '../bytes/bounds.ts'
import type { ApiError } from '../errors/api-error.ts'

/**
 * How a watch ended, which decides how to continue:
 *
 * - `closed`: the server closed it cleanly. This is no failure: watch again from the last resourceVersion.
 * - `broken`: the stream or its connection broke or ended within a line, or outlived its timeout.
 *   `partialLine`: a part of a line was dropped. Watch again from the last resourceVersion.
 * - `refused`: the request was answered with an error status.
 * - `failed`: an ERROR event came in the stream (`isExpired`, `isTooLarge`, … say which).
 * - `unreadable`: a line is not the JSON of an event, or too long.
 * - `threw`: one of the handlers threw.
 */
export type WatchEnd =
  | { readonly how: 'closed' }
  | { readonly how: 'broken'; readonly error: Error; readonly partialLine: boolean }
  | { readonly how: 'refused'; readonly error: ApiError }
  | { readonly how: 'failed'; readonly error: ApiError }
  | { readonly how: 'unreadable'; readonly error: InvalidBodyError | LineTooLongError }
  | { readonly how: 'threw'; readonly error: unknown }
