import {
  type ApiError,
  InvalidBodyError,
  ItemTooLongError,
  isApiError,
  isBadRequest,
  isConnectionError,
  isExpired,
  isForbidden,
  isInvalid,
  isMethodNotAllowed,
  isResourceNotFound,
  isTooLarge,
  isUnauthorized,
  LineTooLongError,
} from '@wherry/client'
import type { Course } from './course.ts'
import type { Checking, Doubting, Listing, Missing, Phase, Streaming, Waiting, Watching } from './phase.ts'
import type { Ended, StreamEnd } from './stream.ts'

/** A watch that ended within so many milliseconds, without an event, was none (rule R15). */
const quickMs = 1000
/** How long a watch that fails for reasons of the server's is tried again before the state is read anew (rule R18). */
const failingMs = 30_000
/** Watches running that were soon over, without an event, until the state is read anew (rule R14). */
const mostQuickEnds = 5
/** What a backoff grows to, in milliseconds (rule R22). */
const longestMs = 30_000

/** How the whole state is to be read now: not older than the last resourceVersion, so that the view does not go back. */
export function wholeState(
  course: Course,
  resourceVersion: string | undefined = course.resourceVersion,
): Streaming | Listing {
  const { initial, streaming, target } = course.settings
  if (initial === 'stream' && streaming.expected(target.resource))
    return { is: 'streaming', resourceVersion: resourceVersion ?? '' }
  return listing(course, resourceVersion)
}

function listing(course: Course, resourceVersion = course.resourceVersion): Listing {
  const { initial, firstList } = course.settings
  const first = initial === 'paged' || firstList === 'newest' ? '' : '0'
  return { is: 'listing', resourceVersion: resourceVersion ?? first }
}

/**
 * Whether no retry is likely to mend an error: the caller has to, or the administrator (rule R36). Who waits for the first
 * state is told at once.
 */
export function isForTheCaller(error: unknown): boolean {
  return isDenied(error) || isResourceNotFound(error) || isImpossible(error)
}

const isDenied = (error: unknown): boolean => isUnauthorized(error) || isForbidden(error)

/** The server will never do this: a selector that it does not know, a resource that can't be listed. */
const isImpossible = (error: unknown): boolean => isBadRequest(error) || isInvalid(error) || isMethodNotAllowed(error)

const isUnreadable = (error: unknown): boolean =>
  error instanceof InvalidBodyError || error instanceof LineTooLongError || error instanceof ItemTooLongError

/** Nothing of it reached the server. */
const isUnprocessed = (error: Error): boolean => isConnectionError(error) && error.unprocessed

/** The client was closed: every watch of it has ended for good. */
export function isClosed(error: unknown): boolean {
  return isConnectionError(error) && error.code === 'CLIENT_CLOSED'
}

/** After `error` instead of a whole state. */
export function afterReading(course: Course, phase: Streaming | Listing, error: Error): Phase {
  if (isClosed(error)) return ended(course, error)
  if (isResourceNotFound(error)) return missing(course, error)
  if ((isExpired(error) || isTooLarge(error)) && isDefinite(phase.resourceVersion)) {
    // Only now may the view go back (rule R5).
    course.fail(error, 'list', false)
    return { ...phase, resourceVersion: '' }
  }
  if (phase.is === 'streaming' && isImpossible(error)) return insteadOf(course, phase, true)
  course.fail(error, 'list')
  if (isUnreadable(error)) {
    course.unreadable += 1
    return phase.is === 'streaming' ? wait(course, listing(course)) : afterUnreadable(course, wholeState(course))
  }
  if (isImpossible(error)) return waitLongest(course, wholeState(course))
  return wait(course, isPassing(error) ? wholeState(course) : otherWay(course, phase), error)
}

/** After an initial state that did not come to its end in a stream. The second time running, it is listed (rule R11). */
export function afterStreaming(course: Course, phase: Streaming, { end }: Ended): Phase {
  if (end.how !== 'closed' && !isUnended(end)) return afterReading(course, phase, errorOf(end.error))
  course.unendedStreams += 1
  const isFirst = course.unendedStreams === 1
  if (end.how !== 'closed') course.fail(end.error, 'list')
  else if (!isFirst) {
    const path = course.settings.target.path
    course.fail(new Error(`the streaming list of ${path} was closed before its end, again`), 'list')
  }
  // That a connection breaks says nothing of what the server can do.
  if (!isFirst) return wait(course, insteadOf(course, phase, end.how !== 'broken'))
  return wait(course, end.how === 'silent' ? listing(course) : wholeState(course))
}

/** The stream was there, and is over without an end of its initial state. */
function isUnended(end: StreamEnd): end is Extract<StreamEnd, { how: 'broken' | 'silent' }> {
  return end.how === 'silent' || (end.how === 'broken' && !isUnprocessed(end.error) && !isClosed(end.error))
}

/** A list instead of a stream. */
function insteadOf(course: Course, { resourceVersion }: Streaming, refusedStreaming: boolean): Listing {
  const first = resourceVersion === '' && course.resourceVersion === undefined
  return { ...listing(course, first ? undefined : resourceVersion), refusedStreaming }
}

/** What else may work when a stream was no good: a list, this once. */
function otherWay(course: Course, phase: Streaming | Listing): Streaming | Listing {
  return phase.is === 'streaming' ? listing(course) : wholeState(course)
}

/** After a watch. */
export function afterWatching(course: Course, { end, livedMs, events }: Ended): Phase {
  switch (end.how) {
    case 'closed': {
      course.failingSince = undefined
      if (livedMs < quickMs && events === 0) return quickEnd(course)
      course.quickEnds = 0
      course.unreadable = 0
      return goOn(course)
    }
    case 'broken':
    case 'silent': {
      if (isClosed(end.error)) return ended(course, end.error)
      if (livedMs >= failingMs) course.failingSince = undefined
      course.fail(end.error, 'watch')
      if (livedMs >= failingMs || events > 0) course.quickEnds = 0
      else if (!isUnprocessed(end.error)) return soonOver(course)
      return wait(course, goOn(course))
    }
    case 'unreadable': {
      course.fail(end.error, 'watch')
      course.unreadable += 1
      return afterUnreadable(course, course.unreadable === 1 ? { is: 'watching' } : wholeState(course))
    }
    case 'threw': {
      course.fail(errorOf(end.error), 'watch')
      return wait(course, wholeState(course))
    }
    case 'refused':
    case 'failed':
      return afterRefusal(course, end.error)
  }
}

/** A watch again; where the server was silent for as long as one lasts, not before it was asked why (rule R21). */
function goOn({ clock, heardAt, settings }: Course): Watching | Checking {
  return { is: clock.monotonic() - heardAt < settings.timeoutSeconds.min * 1000 ? 'watching' : 'checking' }
}

function afterRefusal(course: Course, error: ApiError): Phase {
  if (isResourceNotFound(error)) return missing(course, error)
  // What every restart of a server brings; the waits spread the relists (rule R17).
  const isOld = isExpired(error)
  course.fail(error, 'watch', !isOld)
  if (isOld || isTooLarge(error)) return wait(course, wholeState(course))
  if (isPassing(error) || isDenied(error)) return wait(course, { is: 'watching' }, error)
  const now = course.clock.monotonic()
  course.failingSince ??= now
  const failedMs = now - course.failingSince
  const again = wait(course, { is: 'watching' }, error)
  if (failedMs === 0 || failedMs + again.ms < failingMs) return again
  course.failingSince = undefined
  const leftMs = failingMs - failedMs
  return { is: 'waiting', ms: leftMs > 0 ? leftMs : again.ms, next: wholeState(course) }
}

/** After the server was asked whether it still knows the last resourceVersion (rule R21). */
export function afterChecking(course: Course, error: Error | undefined): Phase {
  if (error === undefined) {
    course.heardAt = course.clock.monotonic()
    return { is: 'watching' }
  }
  if (isClosed(error)) return ended(course, error)
  if (isResourceNotFound(error)) return missing(course, error)
  if (isTooLarge(error)) {
    course.fail(error, 'list', false)
    return wholeState(course, '')
  }
  course.fail(error, 'list')
  return wait(course, { is: 'watching' }, error)
}

/** Over soon, without an event: the fifth time running, what it resumes from may be what the server can't bear (rule R14). */
function soonOver(course: Course): Waiting {
  course.quickEnds += 1
  if (course.quickEnds < mostQuickEnds) return wait(course, goOn(course))
  course.quickEnds = 0
  return wait(course, wholeState(course))
}

/** Closed as soon as it was opened. Something is wrong, or a definition is changing: the third time running it is told. */
function quickEnd(course: Course): Phase {
  if (course.quickEnds >= 2) {
    course.fail(new Error(`the watch of ${course.settings.target.path} was closed at once, again and again`), 'watch')
  }
  return soonOver(course)
}

/** The first two times running the next try may do better; after that, only now and then (rule R20). */
function afterUnreadable(course: Course, next: Waiting['next']): Phase {
  return course.unreadable > 2 ? waitLongest(course, wholeState(course)) : wait(course, next)
}

/** Told once: many an operator runs without it. */
function missing(course: Course, error: Error): Missing | Doubting {
  course.fail(error, 'list', !isResourceNotFound(course.lastError))
  return { is: course.isMissing ? 'missing' : 'doubting', error }
}

/** After a 404. `isProved`: the server does not serve the resource; else it is tried again soon, and the last state stays. */
export function afterDoubting(course: Course, { error }: Doubting, isProved: boolean): Missing | Waiting {
  return isProved ? { is: 'missing', error } : wait(course, wholeState(course), error)
}

/** The client was closed: nothing will ever come again. */
function ended(course: Course, error: Error): Phase {
  course.fail(error, 'watch')
  return { is: 'stopped' }
}

function wait(course: Course, next: Waiting['next'], error?: Error): Waiting {
  return { is: 'waiting', ms: course.backoff.next(isApiError(error) ? error.retryAfterMs : 0), next }
}

function waitLongest(course: Course, next: Waiting['next']): Waiting {
  return { is: 'waiting', ms: longestWait(course), next }
}

/** The wait that a backoff grows to. */
export function longestWait(course: Course): number {
  return longestMs * (1 + course.settings.environment.random())
}

/** Throttled, refused or not there: the same again, later (rule R16). */
function isPassing(error: Error): boolean {
  if (isApiError(error)) return error.status === 429 || error.status === 503 || error.retryAfterMs !== undefined
  return isConnectionError(error) && error.code !== 'HEADERS_TOO_LARGE'
}

function isDefinite(resourceVersion: string): boolean {
  return resourceVersion !== '' && resourceVersion !== '0'
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error('a store threw what is no Error', { cause: error })
}
