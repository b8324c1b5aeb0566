import { type Client, OptionRangeError, OptionTypeError, type View } from '@wherry/client'
import { type Check, checkOptions, flag, integer, milliseconds, viewCheck } from '@wherry/client/internal'
import { type ReadingOptions, ViewConflictError } from '@wherry/informer'
import { clientCheck, isSameFunction, readingChecks } from '@wherry/informer/internal'

/** The options of a {@link TransformCache}. */
export interface TransformCacheOptions extends ReadingOptions {
  /** Lists and watches. */
  readonly client: Pick<Client, 'raw' | 'environment'>
  /** The views to cache; at least one. Duplicates count once. */
  readonly views: readonly View[]
  /**
   * Freezes stored objects deeply, so that code which changes one fails (rule R37). Costs time.
   * @default true unless `NODE_ENV` is `production`
   */
  readonly freeze?: boolean | undefined
  /** The maximum number of deleted objects that each view keeps for slow cursors. @default the larger of 10,000 and the largest number of objects so far */
  readonly maxTombstones?: number | undefined
  /** The maximum size of the deleted objects that each view keeps, in bytes as received. @default 32 MiB */
  readonly maxTombstoneBytes?: number | undefined
  /**
   * The interval at which memory metrics are set, in milliseconds. They are first set when all views have synced. Each time, some hundred objects of
   * each view are measured. `Infinity`: never.
   * @default 60_000
   */
  readonly metricsEveryMs?: number | undefined
}

const checks: Readonly<Record<keyof TransformCacheOptions, Check>> = {
  ...readingChecks,
  client: clientCheck,
  views: (option, value) => {
    if (!Array.isArray(value)) throw new OptionTypeError(option, 'a list of views', typeof value)
    if (value.length === 0) throw new OptionRangeError(option, 'at least one view', 'none')
    for (const [index, view] of value.entries()) viewCheck(`${option}[${index}]`, view)
  },
  freeze: flag,
  maxTombstones: integer(0),
  maxTombstoneBytes: integer(0),
  metricsEveryMs: (option, value) => {
    if (value !== Number.POSITIVE_INFINITY) milliseconds({ min: 1 })(option, value)
  },
}

/**
 * The requested views, each once.
 * @throws OptionTypeError, OptionRangeError, ViewConflictError
 */
export function viewsOf(options: TransformCacheOptions): View[] {
  checkOptions('cache', options, checks, ['client', 'views'])
  const views = new Map<string, View>()
  for (const view of options.views) {
    const same = views.get(view.key)
    if (same !== undefined && !isSameFunction(same.projection, view.projection)) throw new ViewConflictError(view.key)
    views.set(view.key, same ?? view)
  }
  return [...views.values()]
}
