import type { Environment, ErrorContext, ResourceType, View } from '@wherry/client'
import { asError, redactError, watched } from '@wherry/client/internal'
import type { DynamicCache } from '@wherry/dynamic-cache'
import type { Handler } from '@wherry/informer'
import type { AppliedObjects } from '../apply/applied-object.ts'
import type { Report } from '../apply/own-events.ts'
import { atOnce, type Predicate } from '../predicates/predicate.ts'
import type { Cause } from './cause.ts'
import type { Debounce } from './debounce.ts'
import type { SharedManager, SourceConnection } from './source.ts'

/** The controller that receives the keys of a source. */
export interface ControllerSourceTarget {
  /** The controller's name. */
  readonly controller: string
  /** The resource of the keys. */
  readonly primary: ResourceType
  readonly cache: DynamicCache
  readonly manager: SharedManager
  readonly environment: Environment
  /** The projections of owned objects. */
  readonly applied: AppliedObjects
  /** Makes a key run. `isInitial`: for an object that existed already, so at low priority. Never throws. */
  enqueue(key: string, cause: Cause, isInitial: boolean): void
  /** Handles a new state of an owned object. Calls `report`, with the key of this controller that wrote the state, if one did. */
  unlessOwn(view: View, key: string, object: unknown, report: Report): void
  /** A primary object has gone. */
  gone(key: string, last: unknown): void
  /** Whether a key can belong to an object of the primary view, by its name and namespace. */
  accepts(key: string): boolean
  /** Whether causes name the changed fields. */
  readonly namesChanges: boolean
  /** Whether causes are to name the traces that wrote their objects. */
  readonly isTraced: boolean
  /** The keys of all primary objects. */
  all(): Iterable<string>
  /** Makes all primary objects run. Further calls before a run has begun cost nothing. Never throws. */
  enqueueAll(cause: Cause, isInitial: boolean): void
}

/** A source that is connected. */
export interface ControllerSourceConnection extends SourceConnection {
  /** The last error that keeps the source from its first state. */
  readonly lastError?: Error | undefined
  /** Handles an applied object that was deleted before the informer of the source had seen it, so that no event reports it. @default nothing */
  lost?(view: View, key: string): void
}

/** Handles the events of the objects of a source, and of objects that the source never saw. */
export interface ControllerSourceHandler<C> extends Handler<C> {
  /** Handles an applied object that was deleted before the informer had seen it. */
  lost?(key: string): void
}

/** A source of a controller: the objects of a view, or a {@link Source}. Made by {@link owns}, {@link watches} and {@link from}. */
export interface ControllerSource {
  /** For people: `owns VIEW`. */
  readonly name: string
  /** The view that it watches, if the view is declared beforehand. */
  readonly view: View | undefined
  /** The views that it has cached now. */
  readonly cached?: readonly View[] | undefined
  /** Whether the primary objects own the objects of `view`. Their informer keeps the parts that an apply compares. */
  readonly isOwned?: boolean | undefined
  /** Whether the informer of owned objects also keeps their values in `view`, for predicates. */
  readonly keepsValues?: boolean | undefined
  /** Whether it handles applied objects without an owner, too, so that an `apply` with `owner: false` need not be tracked. */
  readonly handlesUnowned?: boolean | undefined
  /** How its keys wait until their events have paused. Keys of objects that exist at the start do not wait. @default no key waits */
  readonly debounce?: Debounce | undefined
  connect(target: ControllerSourceTarget): ControllerSourceConnection
  /** The same source with another view of the same resource. @default it can have no other */
  of?(view: View): ControllerSource
}

/** The same source, but its keys wait for further events. */
export function debounced(source: ControllerSource, debounce: Debounce): ControllerSource {
  return Object.create(source, { debounce: { value: debounce, enumerable: true } }) as ControllerSource
}

/** The same source with a narrower view, if it has one. */
export function narrowed(source: ControllerSource, narrow: (view: View) => View): ControllerSource {
  if (source.view === undefined || source.of === undefined) return source
  const made = source.of(narrow(source.view))
  return source.debounce === undefined ? made : debounced(made, source.debounce)
}

/** Reports errors of predicates and maps of `view`: for Secrets, without the message. */
export function reportingOf({ resource }: View, environment: Reporting): Reporting {
  return { onError: (error, context) => environment.onError(redactError(resource, error) as Error, context) }
}

/** Receives errors. */
export type Reporting = Pick<Environment, 'onError'>

/** Whether all predicates pass an event. The error of a predicate that throws is reported, and the event passes. */
export function passes<E>(
  predicates: readonly Predicate<E>[],
  event: E,
  environment: Reporting,
  name: string,
): boolean {
  const phase = `${name} predicate`
  const all = (): boolean => predicates.every(passes => atOnce(watchedFor(passes(event), environment, phase)))
  return attempt(all, true, environment, { phase })
}

/** Returns the result of a function that must be synchronous. If the result is a promise, its rejection is reported (rule X9). */
export function watchedFor<T>(result: T, environment: Reporting, phase: string): T {
  watched(result, thrown => environment.onError(asError(thrown), { phase }))
  return result
}

/** Returns the result of a user's function. If the function throws, the error is reported, and the result is `otherwise`. */
export function attempt<T>(work: () => T, otherwise: T, environment: Reporting, about: ErrorContext): T {
  try {
    return work()
  } catch (thrown) {
    environment.onError(asError(thrown, `${about.phase} threw`), about)
    return otherwise
  }
}
