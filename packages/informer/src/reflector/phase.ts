import type { Stream } from './stream.ts'

/**
 * The next phase of a reflector, with its data.
 *
 * ```
 *   streaming ──► watching ──► waiting ──► streaming, listing or watching
 *       │            ▲ │          ▲
 *       ▼            │ ▼          │
 *    listing ────────┘ checking   └── whatever failed        any ──► verifying ──► missing ──► streaming or listing
 * ```
 */
export type Phase = Streaming | Listing | Watching | Checking | Waiting | VerifyingNotServed | Missing | Stopped

/** Reads all objects by a watch that begins with them, and continues as the watch (rules R9–R12). */
export interface Streaming {
  readonly is: 'streaming'
  /** The state is not older than this; `''`: the newest. */
  readonly resourceVersion: string
}

/** Reads a whole state by a list (rules R1–R8). */
export interface Listing {
  readonly is: 'listing'
  /** The state is not older than this; `'0'`: any; `''`: the newest. */
  readonly resourceVersion: string
  /** The server did not stream. If it lists, it has no streaming lists (rule R11). */
  readonly refusedStreaming?: boolean | undefined
}

/** Follows the changes (rules R13–R20): by the watch that a streaming list has become, or by a new watch from the last resourceVersion on. */
export interface Watching {
  readonly is: 'watching'
  readonly stream?: Stream | undefined
}

/** Asks whether the server still knows the last resourceVersion, after a watch that was silent to its end (rule R21). */
export interface Checking {
  readonly is: 'checking'
}

/** Waits `ms` milliseconds before the next phase (rule R22). */
export interface Waiting {
  readonly is: 'waiting'
  readonly ms: number
  readonly next: Streaming | Listing | Watching | Checking
}

/** Asks for a proof that the server does not serve the resource, because a 404 alone is none (rules D7, D8). */
export interface VerifyingNotServed {
  readonly is: 'verifying'
  /** The 404. */
  readonly error: Error
}

/**
 * The server is proved not to serve the resource (rules D7, D8). Waits until somebody reports that it does ({@link Reflector.retryNow}), or for the longest
 * backoff.
 */
export interface Missing {
  readonly is: 'missing'
  /** The error of the server. */
  readonly error: Error
}

/** Over. */
export interface Stopped {
  readonly is: 'stopped'
}
