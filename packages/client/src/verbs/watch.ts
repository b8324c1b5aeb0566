import { asError } from '../errors/as-error.ts'
import { callback, checkOptions, flag, having, integer, text } from '../errors/check.ts'
import { OptionRangeError } from '../errors/option.ts'
import type { InvalidObjectError } from '../list/object.ts'
import { type ReadTarget, targetsOf } from '../list/target.ts'
import { projector } from '../views/read.ts'
import type { View } from '../views/resource.ts'
import type { WatchEnd } from '../watch/end.ts'
import { type WatchEvent, watchEvents } from '../watch/events.ts'
import type { ChangeType } from '../watch/line.ts'
import type { WatchStart } from '../watch/query.ts'
import { openWatch, type Watch } from '../watch/watch.ts'
import type { Caller } from './caller.ts'
import { type CallOptions, callChecks } from './options.ts'

/** The start of a watch, and its bounds. */
export interface WatchOptions extends CallOptions {
  /**
   * How long the watch may last in total, in milliseconds, but not longer than the default; after that it ends with a `TimeoutError`.
   * @default 30 s longer than `timeoutSeconds`
   */
  readonly timeoutMs?: number | undefined
  /**
   * With `initialEvents`: the initial state is at least as new as this. Without: the resourceVersion of a list or an event, after which the watch
   * starts.
   * @default the newest state
   */
  readonly resourceVersion?: string | undefined
  /**
   * A streaming list: first every object as `ADDED`, then a bookmark that marks the end of these, then the changes. Servers before 1.34 may refuse
   * it (`isInvalid`).
   * @default true without a `resourceVersion`, else false
   */
  readonly initialEvents?: boolean | undefined
  /** How long the server is asked to keep the watch open, in seconds. @default random, between 290 and 590 */
  readonly timeoutSeconds?: number | undefined
  /** `shardRange(…)`. Servers without sharded watches silently ignore it: filter the events again. @default none */
  readonly shardSelector?: string | undefined
  /** The longest event, in bytes. @default 16 MiB */
  readonly maxLineBytes?: number | undefined
}

/** The callbacks of a watch. They are called synchronously; if one throws, the watch ends. */
export interface WatchHandlers<C> {
  event(type: ChangeType, object: C): void
  /** All events up to `resourceVersion` were delivered. `initialEventsEnd`: this bookmark ends the initial events. */
  bookmark?(resourceVersion: string, initialEventsEnd: boolean): void
  /** The server has accepted the watch. */
  opened?(): void
  /** The server is shutting down; the watch goes on for now. */
  draining?(): void
  /** Called last, with the reason of the end. Not called after `abort()` or an aborted signal. If it throws, the error goes to `onError`. */
  end(end: WatchEnd): void
}

const checks = {
  ...callChecks,
  resourceVersion: text,
  initialEvents: flag,
  timeoutSeconds: integer(1),
  shardSelector: text,
  maxLineBytes: integer(1),
}

/** Opens a watch as an async iterable. */
export function watch<C>(
  caller: Caller,
  view: View<C>,
  options: WatchOptions = {},
): AsyncGenerator<WatchEvent<C>, void, undefined> {
  const { target, start } = prepared(view, options)
  const { signal, timeoutMs, timeoutSeconds, maxLineBytes } = options
  const on = { gzip: caller.gzip, skipped: skipped(caller, target) }
  return watchEvents(caller, target, start, projector(view), { signal, timeoutMs, timeoutSeconds, maxLineBytes, ...on })
}

/** Opens a watch that delivers its events to `on`, without a promise for each. */
export function watchEach<C>(caller: Caller, view: View<C>, on: WatchHandlers<C>, options: WatchOptions = {}): Watch {
  const { target, start } = prepared(view, options)
  having('{ event, end, … }', 'event', 'end')('watch.handlers', on)
  for (const name of ['bookmark', 'opened', 'draining'] as const) {
    if (on[name] !== undefined) callback(`watch.handlers.${name}`, on[name])
  }
  const { signal, timeoutMs, timeoutSeconds, maxLineBytes } = options
  signal?.throwIfAborted()
  const project = projector(view)
  return openWatch(
    caller,
    target,
    start,
    {
      opened: () => on.opened?.(),
      event: (type, object) => on.event(type, project(object)),
      bookmark: (resourceVersion, initialEventsEnd) => on.bookmark?.(resourceVersion, initialEventsEnd),
      draining: () => on.draining?.(),
      skipped: skipped(caller, target),
      end(why) {
        try {
          on.end(why)
        } catch (thrown) {
          // The caller is the timer of the watch, which can't report the error elsewhere.
          caller.environment.onError(asError(thrown), { resource: target.resource, phase: 'handler' })
        }
      },
    },
    { signal, timeoutMs, timeoutSeconds, maxLineBytes, gzip: caller.gzip },
  )
}

function prepared(view: View, options: WatchOptions): { readonly target: ReadTarget; readonly start: WatchStart } {
  checkOptions('watch', options, checks)
  const { resourceVersion = '', initialEvents = resourceVersion === '', shardSelector } = options
  if (!initialEvents && resourceVersion === '') {
    throw new OptionRangeError('watch.resourceVersion', 'where to start, without initialEvents', 'nothing')
  }
  const [target, second] = targetsOf(view, shardSelector)
  if (target === undefined || second !== undefined) {
    throw new OptionRangeError(
      'view',
      'one namespace or all of them: a watch is one stream',
      `${view.namespaces?.length}`,
    )
  }
  return { target, start: { resourceVersion, initialEvents } }
}

function skipped(caller: Caller, target: ReadTarget): (error: InvalidObjectError) => void {
  return error => caller.environment.onError(error, { resource: target.resource, phase: 'watch' })
}
