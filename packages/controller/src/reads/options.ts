import { type Client, OptionTypeError, type View } from '@wherry/client'
import { type Check, callback, checkOptions, having, milliseconds, text } from '@wherry/client/internal'
import type { DynamicCache } from '@wherry/dynamic-cache'
import type { NarrowCache } from '@wherry/narrow-cache'
import type { ReadCause } from './cause.ts'
import type { OwnWrites } from './own-writes.ts'

/** How objects of a resource are read that can't be watched (rule C16). */
export interface PollPolicy {
  /** The resource; a view stands for its whole resource. */
  readonly resource: View
  /** The interval at which each object is read from the server, in milliseconds. At least 1,000. */
  readonly pollMs: number
}

/** The options of {@link TrackedReads}. */
export interface TrackedReadsOptions {
  /** Reads objects that no cache has. */
  readonly client: Client
  /** Serves the objects that its informers cover. */
  readonly cache: DynamicCache
  /** Serves the other objects. */
  readonly narrow: NarrowCache
  /** The views that the controller declared: only these can be listed. Their informers are held from the first read on. */
  readonly declared: readonly View[]
  /** The writes of this process: controllers that share them read each other's writes (rule C10). @default those of this controller */
  readonly writes?: OwnWrites | undefined
  /** Further views that can be listed while they are cached: kinds that are known only at run time. */
  readonly alsoListed?: (() => readonly View[]) | undefined
  /**
   * Called when a key has to run again, synchronously, for each change. A work queue combines several calls into one run.
   */
  readonly onChange: (key: string, cause: ReadCause) => void
  /** The resources that are polled if they can't be watched; the last entry of a resource counts. @default none: reading such an object is an error */
  readonly poll?: readonly PollPolicy[] | undefined
  /** Holds informers under that name while reads depend on them. @default 'reads' */
  readonly name?: string | undefined
}

const policyChecks: Readonly<Record<keyof PollPolicy, Check>> = {
  resource: having('a resource', 'within'),
  pollMs: milliseconds({ min: 1000 }),
}

/** Checks each item of a list. */
export const listOf =
  (what: string, check: Check): Check =>
  (option, value) => {
    if (!Array.isArray(value)) throw new OptionTypeError(option, `a list of ${what}`, typeof value)
    for (const [index, one] of value.entries()) check(`${option}[${index}]`, one)
  }

/** Checks a list of {@link PollPolicy}. */
export const pollPolicies: Check = listOf('{ resource, pollMs }', (option, value) => {
  checkOptions(option, value, policyChecks, ['resource', 'pollMs'])
})

const checks: Readonly<Record<keyof TrackedReadsOptions, Check>> = {
  client: having('a Client', 'get', 'list', 'close'),
  cache: having('a DynamicCache', 'hold', 'covering'),
  narrow: having('a NarrowCache', 'watch', 'peek'),
  declared: listOf('views', having('a view', 'within')),
  writes: having('OwnWrites', 'wrote', 'subscribe'),
  alsoListed: callback,
  onChange: callback,
  poll: pollPolicies,
  name: text,
}

/** @throws OptionTypeError, OptionRangeError */
export function checkReadsOptions(options: TrackedReadsOptions): void {
  checkOptions('reads', options, checks, ['client', 'cache', 'narrow', 'declared', 'onChange'])
}
