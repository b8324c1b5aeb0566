import { type Client, OptionTypeError, type View } from '@wherry/client'
import { type Check, callback, checkOptions, having, milliseconds, text } from '@wherry/client/internal'
import type { DynamicCache } from '@wherry/dynamic-cache'
import type { NarrowCache } from '@wherry/narrow-cache'
import type { ReadCause } from './cause.ts'
import type { OwnWrites } from './own-writes.ts'

/** How objects of a resource are read that can't be watched (rule C16). */
export interface PollPolicy {
  /** A view of a resource stands for all of it. */
  readonly resource: View
  /** How often the server is asked for each such object, in milliseconds. At least 1,000. */
  readonly pollMs: number
}

/** What tracked reads are made of. */
export interface TrackedReadsOptions {
  /** Asks the server for what no cache has. */
  readonly client: Client
  /** Serves what an informer of it covers. */
  readonly cache: DynamicCache
  /** Serves the other objects. */
  readonly narrow: NarrowCache
  /** The views that the controller declared: what can be listed. Their informers are held once they are read from. */
  readonly declared: readonly View[]
  /** What this process wrote: controllers that share it read each other's writes (rule C10). @default one of its own */
  readonly writes?: OwnWrites | undefined
  /** More views that can be listed, as long as somebody has them cached: kinds that are known only at run time. */
  readonly alsoListed?: (() => readonly View[]) | undefined
  /**
   * A key is to run again. Called at once, from within whatever brought the change about. Called again for each change: a
   * work queue makes one run of them.
   */
  readonly onChange: (key: string, cause: ReadCause) => void
  /** The resources that are polled if they can't be watched; a later entry of one resource counts. @default nothing: reading it is an error */
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
