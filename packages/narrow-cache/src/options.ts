import type { Client } from '@wherry/client'
import { type Check, checkOptions, flag, having, integer, milliseconds } from '@wherry/client/internal'

/** How a narrow cache works; only the client is required. */
export interface NarrowCacheOptions {
  /** Reads and watches the requested objects. */
  readonly client: Client
  /**
   * How long an entry without subscribers stays watched after its last read, in milliseconds. `0` closes it at once; `Infinity` keeps it until
   * `max` evicts it. This does not bound freshness: a cached entry is watched.
   * @default 600_000
   */
  readonly idleMs?: number | undefined
  /**
   * The maximum number of entries. Above it, the least recently read entry without subscribers is evicted. If all have subscribers, no subscription is
   * refused: a view that gets another entry uses one shared watch of metadata, as above `escalateAllAt`, until there is room, and `onWarning` names the
   * view once. A `get` of an object without an entry then asks the server. @default 10_000
   */
  readonly max?: number | undefined
  /** How many entries are opened or relisted at the same time. @default 100 */
  readonly maxOpening?: number | undefined
  /**
   * Above this number of entries of one view in one namespace, one watch of the metadata of all objects there replaces the single watches, and each
   * object is listed by its name when it has changed. Below half of it, the objects are watched one by one again. A higher value costs streams; a lower
   * value receives unrelated metadata of busy namespaces. For a cluster-scoped resource, the lower of `escalateAt` and `escalateAllAt` applies to all
   * entries of a view. `Infinity`: never.
   * @default 200
   */
  readonly escalateAt?: number | undefined
  /**
   * Above this number of entries of one view of a namespaced resource in all namespaces, one watch of the metadata of all its objects takes over,
   * or one watch per namespace if that watch is refused. Below half of it, `escalateAt` decides again. `Infinity`: never. @default 1_000
   */
  readonly escalateAllAt?: number | undefined
  /**
   * How long a read waits without an answer, in milliseconds. If the first state has not arrived by then, the read rejects. It waits 5 s at most for a
   * state that the server refuses. It waits for the watch to show this process' own write for 5 s at most, and no longer than half of this time;
   * then it lists the object, and if the list is not answered, it asks the server.
   * @default 65_000
   */
  readonly timeoutMs?: number | undefined
  /** The largest object, in bytes as sent. @default 16 MiB */
  readonly maxObjectBytes?: number | undefined
  /**
   * Freezes stored objects deeply, so that code which changes one fails (rule R37). Costs time.
   * @default true unless `NODE_ENV` is `production`
   */
  readonly freeze?: boolean | undefined
}

const defaults = {
  idleMs: 600_000,
  max: 10_000,
  maxOpening: 100,
  escalateAt: 200,
  escalateAllAt: 1000,
  timeoutMs: 65_000,
}

/** Checked options, with their defaults. */
export type Settings = Readonly<typeof defaults> & Pick<NarrowCacheOptions, 'client' | 'maxObjectBytes' | 'freeze'>

const checks: Readonly<Record<keyof NarrowCacheOptions, Check>> = {
  client: having('a Client', 'get', 'list', 'close'),
  idleMs: milliseconds({ min: 0, infinite: true }),
  max: integer(1),
  maxOpening: integer(1),
  escalateAt: countOrNever,
  escalateAllAt: countOrNever,
  timeoutMs: milliseconds({ min: 1, infinite: true }),
  maxObjectBytes: integer(1),
  freeze: flag,
}

function countOrNever(option: string, value: unknown): void {
  if (value !== Number.POSITIVE_INFINITY) integer(1)(option, value)
}

/** @throws OptionTypeError, OptionRangeError */
export function settingsOf(options: NarrowCacheOptions): Settings {
  checkOptions('narrow', options, checks, ['client'])
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(given) } as Settings
}
