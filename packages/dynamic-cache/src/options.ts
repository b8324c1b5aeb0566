import {
  type Client,
  type FromServer,
  type KeyOf,
  OptionRangeError,
  OptionTypeError,
  type ResourceDefinition,
  type Scope,
  type View,
} from '@wherry/client'
import { type Check, checkOptions, flag, having, integer, oneOf, viewCheck } from '@wherry/client/internal'
import type { ReadingOptions } from '@wherry/informer'
import { readingChecks } from '@wherry/informer/internal'
import type { WhenUnknown } from './entry.ts'

/**
 * The behaviour of a read of a view that is not cached (rule D3):
 * - `error`: fails with a `NotCachedError`, so that no `get` loads a whole kind by surprise.
 * - `start`: starts its informer and waits for it. This loads everything that the view selects, and keeps it.
 * - `live`: asks the server each time.
 * - `narrow`: a `get` uses the reader `narrow`, which watches that one object; a `list` is an error.
 */
export type OnMissing = 'error' | 'start' | 'live' | 'narrow'

/** Reads one object and watches only that object, as a narrow cache does. */
export interface NarrowReader {
  get<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<FromServer<C> | undefined>
}

/** The settings for all resources, or for one. */
export interface CachePolicy {
  /** @default 'error' */
  readonly onMissing?: OnMissing | undefined
  /**
   * What happens to waits for a resource that the server does not know: `error` rejects them at once; `wait` lets them wait until the resource is
   * defined. In both cases the informer starts by itself when the definition is created (rules D7, D8). @default 'error'
   */
  readonly whenUnknown?: WhenUnknown | undefined
}

/** How a dynamic cache works; only the client is required. */
export interface DynamicCacheOptions extends CachePolicy, ReadingOptions {
  /** Lists and watches. */
  readonly client: Client
  /** Settings of single resources, at most one for each. A view stands for its whole resource, in all versions. @default none */
  readonly resources?: readonly ResourcePolicy[] | undefined
  /** The reader for `onMissing: 'narrow'`. @default none: then `onMissing: 'narrow'` is an error */
  readonly narrow?: NarrowReader | undefined
  /**
   * Freezes stored objects deeply, so that code which changes one fails (rule R37). Costs time.
   * @default true unless `NODE_ENV` is `production`
   */
  readonly freeze?: boolean | undefined
  /** The maximum number of deleted objects that each view keeps for slow cursors. @default the larger of 10,000 and the largest number of objects so far */
  readonly maxTombstones?: number | undefined
  /** The maximum size of the deleted objects that each view keeps, in bytes as received. @default 32 MiB */
  readonly maxTombstoneBytes?: number | undefined
}

export interface ResourcePolicy extends CachePolicy {
  readonly resource: View
}

const policyChecks: Readonly<Record<keyof CachePolicy, Check>> = {
  onMissing: oneOf('error', 'start', 'live', 'narrow'),
  whenUnknown: oneOf('error', 'wait'),
}

const checks: Readonly<Record<keyof DynamicCacheOptions, Check>> = {
  ...policyChecks,
  ...readingChecks,
  client: having('a Client', 'get', 'list', 'close'),
  resources: (option, value) => {
    if (!Array.isArray(value)) throw new OptionTypeError(option, 'a list of { resource, … }', typeof value)
    const named = new Set<string>()
    for (const [index, one] of value.entries()) {
      checkOptions(`${option}[${index}]`, one, { ...policyChecks, resource: viewCheck }, ['resource'])
      const name = nameOf((one as ResourcePolicy).resource.resource)
      if (named.has(name)) throw new OptionRangeError(`${option}[${index}]`, 'one policy for each resource', name)
      named.add(name)
    }
  },
  narrow: having('a NarrowReader', 'get'),
  freeze: flag,
  maxTombstones: integer(0),
  maxTombstoneBytes: integer(0),
}

/** @throws OptionTypeError, OptionRangeError */
export function checkCacheOptions(options: DynamicCacheOptions): void {
  checkOptions('cache', options, checks, ['client'])
  const chosen = [options, ...(options.resources ?? [])].some(({ onMissing }) => onMissing === 'narrow')
  if (chosen && options.narrow === undefined) {
    throw new OptionRangeError('cache.onMissing', "a NarrowReader as `narrow` beside 'narrow'", 'none')
  }
}

/** The policy for each resource. */
export class Policies {
  readonly #byResource: ReadonlyMap<string, CachePolicy>
  readonly #rest: CachePolicy

  constructor(options: DynamicCacheOptions) {
    this.#rest = options
    this.#byResource = new Map((options.resources ?? []).map(policy => [nameOf(policy.resource.resource), policy]))
  }

  onMissing({ resource }: View): OnMissing {
    return this.#byResource.get(nameOf(resource))?.onMissing ?? this.#rest.onMissing ?? 'error'
  }

  whenUnknown({ resource }: View): WhenUnknown {
    return this.#byResource.get(nameOf(resource))?.whenUnknown ?? this.#rest.whenUnknown ?? 'error'
  }
}

/** The name of a resource, which is the same for all its versions. */
function nameOf({ group, plural }: ResourceDefinition): string {
  return `${plural}.${group}`
}
