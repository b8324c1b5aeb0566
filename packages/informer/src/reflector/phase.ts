import type { Stream } from './stream.ts'

/**
 * What a reflector does next, with all that it needs to know for it.
 *
 * ```
 *   streaming ──► watching ──► waiting ──► streaming, listing or watching
 *       │            ▲ │          ▲
 *       ▼            │ ▼          │
 *    listing ────────┘ checking   └── whatever failed        any ──► verifying ──► missing ──► streaming or listing
 * ```
 */
export type Phase = Streaming | Listing | Watching | Checking | Waiting | VerifyingNotServed | Missing | Stopped

/** Reads a whole state by a watch that begins with it, and goes on as the watch (rules R9–R12). */
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
  /** The server did not stream: if it does list, that is what it can't do (rule R11). */
  readonly refusedStreaming?: boolean | undefined
}

/** Follows the changes (rules R13–R20): by the watch that a streaming list has become, or by one from the last resourceVersion on. */
export interface Watching {
  readonly is: 'watching'
  readonly stream?: Stream | undefined
}

/** Asks whether the server still knows the last resourceVersion, after a watch that was silent to its end (rule R21). */
export interface Checking {
  readonly is: 'checking'
}

/** Waits, `ms` milliseconds, before it goes on (rule R22). */
export interface Waiting {
  readonly is: 'waiting'
  readonly ms: number
  readonly next: Streaming | Listing | Watching | Checking
}

/** A 404 came, and is no proof that the server does not serve the resource: asks for one (rules D7, D8). */
export interface VerifyingNotServed {
  readonly is: 'verifying'
  /** What came. */
  readonly error: Error
}

/** A proof says that the server does not serve the resource (rules D7, D8). Waits for the news that it does, or for the longest backoff. */
export interface Missing {
  readonly is: 'missing'
  /** What it said. */
  readonly error: Error
}

/** Over. */
export interface Stopped {
  readonly is: 'stopped'
}
