import type { Served } from './dependency.ts'

/**
 * What is known of an object: something that stands for its state, the same for the same state; `undefined`: absent. Or the
 * error of an object that is there and could not be transformed.
 */
export type Known = { readonly state: unknown; readonly error?: undefined } | { readonly error: Error }

/** What an object reads as; `undefined`: it is absent. @throws the error of an object that could not be transformed */
export function valueIn(known: Known, feed: Feed): unknown {
  if (known.error !== undefined) throw known.error
  return known.state === undefined ? undefined : feed.value(known.state)
}

/** Where the state of one object comes from. What happens to it is told to its `TrackedObject`. */
export interface Feed {
  readonly served: Served
  /** What is known may be about to change: something is on its way that is not there yet. */
  readonly isCatchingUp: boolean
  /** What is known of the object now; `undefined` where that may be older than what this process knows. */
  peek(): Known | undefined
  /** What a state reads as: the object as the view has it. */
  value(state: unknown): unknown
  /** Resolves when {@link Feed.peek} may tell. Rejects where the object can't be watched. */
  ready(signal: AbortSignal | undefined): Promise<void>
  /** The object as the server has it, for when `peek` does not tell. */
  live(signal: AbortSignal | undefined): Promise<Known>
  /** Asks the server for the object where it is read by its name, so that what it has is heard of. */
  compare(signal: AbortSignal | undefined): Promise<void>
  /** Nothing is told from now on. */
  close(): void
}
