import type { Environment, ObjectKey, View } from '@wherry/client'
import type { WatchManager } from '@wherry/watch-manager'
import type { Keys } from './key.ts'

/**
 * Returns the watch manager that controllers and registrars share. The first call creates it from the class that the caller imports, so a program without
 * registrars loads none of its code.
 */
export type SharedManager = (Manager: typeof WatchManager) => WatchManager

/** The controller's side of a source. */
export interface SourceTarget<E> {
  /** The name of the controller. */
  readonly controller: string
  readonly manager: SharedManager
  readonly environment: Environment
  /** Whether the server does not serve a view's resource (yet): the controller then waits for it, but its start does not (rules C3, D7). */
  isAbsent(view: View): Promise<boolean>
  /**
   * Reports an event, which is mapped to keys at once. `isInitial`: the object existed already, so its keys wait behind those of changes. Never
   * throws.
   */
  tell(event: E, isInitial?: boolean): void
  /** Reports that events were lost: all primary objects run, behind those of changes. Never throws. */
  missed(): void
}

/** A connected source, until it is closed. */
export interface SourceConnection {
  /** Resolves when all initial events were passed (rule C3); rejects if that will not happen, or with the signal's reason. */
  synced(signal: AbortSignal): Promise<void>
  /** Stops the source. After the call it passes no events. Resolves when everything that it opened is closed. Never rejects. */
  close(): Promise<void>
}

/**
 * A source of events other than the controller's views: a {@link DynamicViews}, a {@link Channel}, a {@link Timer}, or your own. The controller
 * connects it when it starts.
 */
export interface Source<out E> {
  /** A name for errors and `explain`. */
  readonly name: string
  /** Whether the keys of its events wait behind those of changes. @default false */
  readonly isBackground?: boolean | undefined
  /** The keys of an event if the controller has no `map` for it. `all` returns the keys of all primary objects. */
  defaultKeys?(event: unknown, all: () => Iterable<ObjectKey>): Keys
  /** The views that the source caches now: reconciles may list them. @default none */
  readonly cached?: readonly View[] | undefined
  connect(target: SourceTarget<E>): SourceConnection
}
