import type { ObjectReference } from '@wherry/client/resources/core'

/** An event that is the same as those before it, and how often it came. */
export interface Series {
  readonly key: string
  /** Where events about the object are kept. */
  readonly namespace: string
  readonly object: ObjectReference
  readonly type: string
  readonly reason: string
  readonly action: string
  message: string
  count: number
  /** So many of them were told to the server, or dropped. */
  told: number
  /** On the monotonic clock. */
  readonly firstAt: number
  lastAt: number
  /** In the server, once it was asked to create it. */
  name: string | undefined
  isCreated: boolean
  /** Answers of the server in a row that were no success. */
  refusals: number
}
