import type { Environment, ObjectKey, View } from '@wherry/client'
import type { WatchManager } from '@wherry/watch-manager'
import type { Keys } from './key.ts'

/** Whom a source tells. */
export interface SourceTarget<E> {
  /** The name of the controller. */
  readonly controller: string
  readonly manager: WatchManager
  readonly environment: Environment
  /** Whether the server does not know a view's resource (yet), and that is to be waited for: a start does without it (rules C3, D7). */
  isAbsent(view: View): Promise<boolean>
  /**
   * Tells of something; it is mapped to keys at once. `isInitial`: it was there already, so its keys wait behind those of what has
   * changed. Never throws.
   */
  tell(event: E, isInitial?: boolean): void
  /** Something was missed that can't be told any more: all primary objects run, behind those of what has changed. Never throws. */
  missed(): void
}

/** A source that tells, until it is closed. */
export interface SourceConnection {
  /** Resolves when what was there at first was told (rule C3); rejects where that will not be, or with the signal's reason. */
  synced(signal: AbortSignal): Promise<void>
  /** Tells nothing from the call on. Resolves when all that it opened is closed. Never rejects. */
  close(): Promise<void>
}

/**
 * Tells a controller of what happens beside its views: a {@link DynamicViews}, a {@link Channel}, a {@link Timer}, or one of
 * your own. A controller connects it when it starts.
 */
export interface Source<out E> {
  /** For people: errors and `explain` name it. */
  readonly name: string
  /** Its keys wait behind those of what has changed. @default false */
  readonly isBackground?: boolean | undefined
  /** Which keys an event means where the controller maps it to none. `all` gives the keys of all primary objects there are. */
  defaultKeys?(event: unknown, all: () => Iterable<ObjectKey>): Keys
  /** The views that it has cached now: reconciles may list them. @default none */
  readonly cached?: readonly View[] | undefined
  connect(target: SourceTarget<E>): SourceConnection
}
