import {
  type ApiError,
  isApiError,
  isExpired,
  isForbidden,
  isInvalid,
  isResourceNotFound,
  isTooLarge,
  isUnauthorized,
} from '@wherry/client'
import {
  asError,
  InvalidBodyError,
  ItemTooLongError,
  isBadRequest,
  isConnectionError,
  isMethodNotAllowed,
  LineTooLongError,
} from '@wherry/client/internal'
import type { Checking, Listing, Missing, Phase, Streaming, VerifyingNotServed, Waiting, Watching } from './phase.ts'
import type { FailureKind, ReflectorContext } from './reflector-context.ts'
import type { Ended, StreamEnd } from './stream.ts'

/** By kind of failure: the number in a row, and its consequence. With fewer failures the same request is repeated. `relist`: all objects are listed again. */
const limits = {
  /** `list`: the state is listed instead. */
  streamingList: { list: 2 },
  /** `report`: from this count on, reports a clean end as an error. */
  watch: { report: 3, relist: 5 },
  /** `longestWait`: the next try comes after the longest backoff. */
  unreadable: { relist: 2, longestWait: 3 },
} as const satisfies Record<FailureKind, Record<string, number>>

/** A watch that the server closes within this time, in milliseconds, without an event, counts as a failure (rule R15). */
const shortCloseMs = 1000
/** A watch that breaks within this time, in milliseconds, without an event, counts as a failure (rule R14). */
const shortBreakMs = 30_000
/** A watch that was open for this time, in milliseconds, works: failures before it do not lengthen the next wait (rule R22). */
const provenMs = 10_000
/** The longest wait of a backoff, in milliseconds (rule R22). */
const longestMs = 30_000

const watching: Watching = { is: 'watching' }

/** The phase that reads all objects, not older than the last resourceVersion, so that the stores do not go back in time. */
export function wholeState(
  context: ReflectorContext,
  resourceVersion: string | undefined = known(context),
): Streaming | Listing {
  const { target, settings } = context
  const { initial, streaming } = settings
  if (initial === 'stream' && streaming.expected(target.resource))
    return { is: 'streaming', resourceVersion: resourceVersion ?? '' }
  return listing(context, resourceVersion)
}

/** The minimum resourceVersion of a list. In doubt, the list must be the newest, and no stored object is reused. */
function known({ isDoubted, resourceVersion }: ReflectorContext): string | undefined {
  return isDoubted ? '' : resourceVersion
}

function listing(context: ReflectorContext, resourceVersion = known(context)): Listing {
  const { initial, firstList } = context.settings
  const first = initial === 'paged' || firstList === 'newest' ? '' : '0'
  return { is: 'listing', resourceVersion: resourceVersion ?? first }
}

/** Whether no retry is likely to mend an error: the caller has to, or the administrator (rule R36). Waits are rejected at once. */
export function isPermanent(error: unknown): boolean {
  return isDenied(error) || isResourceNotFound(error) || isImpossible(error)
}

const isDenied = (error: unknown): boolean => isUnauthorized(error) || isForbidden(error)

/** Whether the server will never accept the request: a selector that it does not know, a resource that can't be listed. */
const isImpossible = (error: unknown): boolean => isBadRequest(error) || isInvalid(error) || isMethodNotAllowed(error)

const isUnreadable = (error: unknown): boolean =>
  error instanceof InvalidBodyError || error instanceof LineTooLongError || error instanceof ItemTooLongError

/**
 * Whether the server answered without a list: it refused, or its answer can't be read. Not if only the requested resourceVersion
 * is the reason.
 */
export function isAnswer(error: unknown): boolean {
  return (isApiError(error) && !isExpired(error) && !isTooLarge(error)) || isUnreadable(error)
}

/**
 * Whether the server is about to serve a resource, because its definition is new, or has changed. It then answers with a Retry-After that grows with
 * the elapsed time, and is short at first.
 */
export function isStarting(error: unknown): boolean {
  return (
    isApiError(error) &&
    error.status === 429 &&
    error.message.includes('storage is (re)initializing') &&
    (error.retryAfterMs ?? 0) <= 10_000
  )
}

/** Whether the request did not reach the server. */
const isUnprocessed = (error: Error): boolean => isConnectionError(error) && error.unprocessed

/** Whether the client was closed, so that its watches have ended for good. */
export function isClosed(error: unknown): boolean {
  return isConnectionError(error) && error.code === 'CLIENT_CLOSED'
}

/** The phase after a read of a whole state that has failed with `error`. */
export function afterReading(context: ReflectorContext, phase: Streaming | Listing, error: Error): Phase {
  if (isClosed(error)) return ended(context, error)
  if (isResourceNotFound(error)) return missing(context, error)
  if ((isExpired(error) || isTooLarge(error)) && isDefinite(phase.resourceVersion)) {
    // Only now may the view go back (rule R5).
    context.fail(error, 'list', false)
    return { ...phase, resourceVersion: '' }
  }
  if (phase.is === 'streaming' && (isDenied(error) || isMethodNotAllowed(error))) {
    // A list may be allowed, but its objects would never change, and readers would take them for watched ones.
    context.fail(error, 'watch')
    return isDenied(error) ? wait(context, phase, error) : waitLongest(context, phase)
  }
  if (phase.is === 'streaming' && isImpossible(error)) return insteadOf(context, phase, true)
  context.fail(error, 'list', !isStarting(error))
  if (isUnreadable(error)) return afterUnreadable(context, otherWay(context, phase))
  if (isImpossible(error)) return waitLongest(context, wholeState(context))
  return wait(context, isPassing(error) ? wholeState(context) : otherWay(context, phase), error)
}

/** The phase after a streaming list that has ended before its whole state (rule R11). */
export function afterStreaming(context: ReflectorContext, phase: Streaming, { end }: Ended): Phase {
  if (end.how !== 'closed' && !isUnended(end)) return afterReading(context, phase, asError(end.error))
  const isListed = ++context.failures.streamingList >= limits.streamingList.list
  if (end.how !== 'closed') context.fail(end.error, 'list')
  else if (isListed) {
    const path = context.target.path
    context.fail(new Error(`the streaming list of ${path} was closed before its end, again`), 'list')
  }
  // A broken connection says nothing about what the server supports.
  if (isListed) return wait(context, insteadOf(context, phase, end.how !== 'broken'))
  return wait(context, end.how === 'silent' ? listing(context) : wholeState(context))
}

/** Whether a stream was accepted, and broke before the end of its initial events. */
function isUnended(end: StreamEnd): end is Extract<StreamEnd, { how: 'broken' | 'silent' }> {
  return end.how === 'silent' || (end.how === 'broken' && !isUnprocessed(end.error) && !isClosed(end.error))
}

/** A list instead of a stream. */
function insteadOf(context: ReflectorContext, { resourceVersion }: Streaming, refusedStreaming: boolean): Listing {
  const first = resourceVersion === '' && context.resourceVersion === undefined
  return { ...listing(context, first ? undefined : resourceVersion), refusedStreaming }
}

/** The alternative to a failed read: a list after a streaming list, and after a list the usual read again. */
function otherWay(context: ReflectorContext, phase: Streaming | Listing): Streaming | Listing {
  return phase.is === 'streaming' ? listing(context) : wholeState(context)
}

/** The phase after a watch that has ended. */
export function afterWatching(context: ReflectorContext, { end, livedMs, openMs, events }: Ended): Phase {
  const { failures } = context
  if (openMs >= provenMs && end.how !== 'silent') context.backoff.reset()
  switch (end.how) {
    case 'closed': {
      if (livedMs < shortCloseMs && events === 0) return afterFailedWatch(context, goOn(context))
      failures.watch = 0
      failures.unreadable = 0
      return goOn(context)
    }
    case 'broken':
    case 'silent': {
      if (isClosed(end.error)) return ended(context, end.error)
      context.fail(end.error, 'watch')
      if (livedMs >= shortBreakMs || events > 0) failures.watch = 0
      else if (!isUnprocessed(end.error)) return afterFailedWatch(context, goOn(context), end.error)
      return wait(context, goOn(context))
    }
    case 'unreadable': {
      context.fail(end.error, 'watch')
      return afterUnreadable(context, watching, wholeState(context))
    }
    case 'threw': {
      context.fail(asError(end.error), 'watch')
      return wait(context, wholeState(context))
    }
    case 'refused':
    case 'failed':
      return afterRefusal(context, end.error)
  }
}

/** The next watch. If the server was silent for as long as a watch lasts, it is checked first (rule R21). */
function goOn({ clock, receivedAt, settings }: ReflectorContext): Watching | Checking {
  return { is: clock.monotonic() - receivedAt < settings.timeoutSeconds.min * 1000 ? 'watching' : 'checking' }
}

function afterRefusal(context: ReflectorContext, error: ApiError): Phase {
  if (isResourceNotFound(error)) return missing(context, error)
  // Every restart of a server causes this. The waits spread the relists (rule R17).
  const isOld = isExpired(error)
  context.fail(error, 'watch', !isOld && !isStarting(error))
  if (isOld || isTooLarge(error)) return wait(context, wholeState(context))
  if (isPassing(error) || isDenied(error)) return wait(context, watching, error)
  return afterFailedWatch(context, watching, error)
}

/** The phase after the check whether the server still knows the last resourceVersion (rule R21). */
export function afterChecking(context: ReflectorContext, error: Error | undefined): Phase {
  if (error === undefined) {
    context.receivedAt = context.clock.monotonic()
    return watching
  }
  if (isClosed(error)) return ended(context, error)
  if (isResourceNotFound(error)) return missing(context, error)
  if (isTooLarge(error)) {
    context.fail(error, 'list', false)
    return wholeState(context, '')
  }
  context.fail(error, 'list')
  return wait(context, watching, error)
}

/** The phase after a watch that the server failed by `error`, or closed as soon as it was opened, which also happens when a definition changes. */
function afterFailedWatch(context: ReflectorContext, again: Waiting['next'], error?: Error): Waiting {
  const times = ++context.failures.watch
  if (error === undefined && times >= limits.watch.report) {
    context.fail(new Error(`the watch of ${context.target.path} was closed at once, again and again`), 'watch')
  }
  return wait(context, times < limits.watch.relist ? again : wholeState(context), error)
}

/** The phase after an answer or a line that can't be read: `next`, or `relist` if this repeats. */
function afterUnreadable(context: ReflectorContext, next: Waiting['next'], relist = next): Waiting {
  const times = ++context.failures.unreadable
  if (times >= limits.unreadable.longestWait) return waitLongest(context, relist)
  return wait(context, times < limits.unreadable.relist ? next : relist)
}

/** The phase after a 404. The error is reported once, because operators may run without the resource. */
function missing(context: ReflectorContext, error: Error): Missing | VerifyingNotServed {
  context.fail(error, 'list', !isResourceNotFound(context.lastError))
  return { is: context.isMissing ? 'missing' : 'verifying', error }
}

/**
 * The phase after the proof for a 404. `isProved`: the server does not serve the resource. Otherwise the request is retried soon, and the stored
 * objects stay.
 */
export function afterVerifying(
  context: ReflectorContext,
  { error }: VerifyingNotServed,
  isProved: boolean,
): Missing | Waiting {
  return isProved ? { is: 'missing', error } : wait(context, wholeState(context), error)
}

/** The client was closed: nothing will ever come again. */
function ended(context: ReflectorContext, error: Error): Phase {
  context.fail(error, 'watch')
  return { is: 'stopped' }
}

function wait(context: ReflectorContext, next: Waiting['next'], error?: Error): Waiting {
  return { is: 'waiting', ms: context.backoff.next(isApiError(error) ? error.retryAfterMs : 0), next }
}

function waitLongest(context: ReflectorContext, next: Waiting['next']): Waiting {
  return { is: 'waiting', ms: longestWait(context), next }
}

/** The wait that a backoff grows to. */
export function longestWait(context: ReflectorContext): number {
  return longestMs * (1 + context.settings.environment.random())
}

/** Whether the server throttled the request or is unavailable, or the connection failed: the same request is repeated later (rule R16). */
function isPassing(error: Error): boolean {
  if (isApiError(error)) return error.status === 429 || error.status === 503 || error.retryAfterMs !== undefined
  return isConnectionError(error) && error.code !== 'HEADERS_TOO_LARGE'
}

function isDefinite(resourceVersion: string): boolean {
  return resourceVersion !== '' && resourceVersion !== '0'
}
