import type { Client } from '@wherry/client'
import { type Check, checkOptions, flag, having, integer, milliseconds } from '@wherry/client/internal'

/** How a narrow cache works; only the client is needed. */
export interface NarrowCacheOptions {
  readonly client: Client
  /**
   * How long an entry that nobody subscribes to stays watched, in milliseconds, from its last read. `0` closes it at once;
   * `Infinity` keeps it until the bound `max` evicts it.
   *
   * Not a freshness bound: while an entry is cached it is watched, and as fresh as the watch.
   *
   * @default 600_000
   */
  readonly idleMs?: number | undefined
  /**
   * Most entries, but for those that have subscribers. Past it the one that was read longest ago, and that nobody subscribes to, is
   * evicted. Where all have subscribers nothing is refused: a view that gets one more shares one watch of metadata, as past
   * `escalateAllAt`, until there is room, and `onWarning` names it once. A single `get` asks the server then. @default 10_000
   */
  readonly max?: number | undefined
  /** Most entries that are being opened, or listed anew, at a time. @default 100 */
  readonly maxOpening?: number | undefined
  /**
   * Past so many entries of one view in one namespace, one watch of the metadata of all objects there takes over from
   * theirs, and each object is listed by its name when it has changed; below half of it they are watched one by one again. A higher
   * value costs streams, a lower one has a busy namespace's unrelated metadata come in. `Infinity`: never.
   * @default 200
   */
  readonly escalateAt?: number | undefined
  /**
   * Past so many entries of one view of a namespaced resource in all namespaces together, one watch of the metadata of all its objects
   * takes over, or one in each namespace where that is refused; below half of it they are watched as `escalateAt` says again.
   * `Infinity`: never. @default 1_000
   */
  readonly escalateAllAt?: number | undefined
  /**
   * How long a read waits, in milliseconds, where no answer comes. Without a first state by then it rejects. What the server refuses it waits for
   * 5 s at most. For the watch to tell of a write of one's own it waits
   * 5 s at most, and no longer than half of this; then the object is listed anew. Without an answer to that in time, it asks the server.
   * @default 65_000
   */
  readonly timeoutMs?: number | undefined
  /** Longest object, in bytes as sent. @default 16 MiB */
  readonly maxObjectBytes?: number | undefined
  /**
   * Freezes stored objects deep, so that code which changes one throws (rule R37). Costs time.
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
