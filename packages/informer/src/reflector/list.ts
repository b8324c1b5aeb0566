import { isExpired, TimeoutError } from '@wherry/client'
import {
  InvalidBodyError,
  type ListHead,
  listQuery,
  nextPageQuery,
  PageTokens,
  readItems,
} from '@wherry/client/internal'
import type { Listing } from './phase.ts'
import type { ReflectorContext } from './reflector-context.ts'
import type { SnapshotFanOut } from './writers.ts'

/**
 * A list that has brought no item for this time, in milliseconds, is given up, at the latest after twice this time. kube-apiserver itself gives up after 60 s.
 */
const silenceMs = 65_000

/**
 * Lists all objects, in one answer or in pages. Resolves once they are in the stores.
 */
export async function list(context: ReflectorContext, { resourceVersion }: Listing): Promise<void> {
  const { settings, target, clock, stats } = context
  const { initial, pageSize } = settings
  const { selection } = target
  // The API server's cache ignores a limit; a resource without that cache honours it (rule R1).
  const paged = initial === 'paged' || context.inPages || resourceVersion === '0'
  const begunAt = clock.monotonic()
  let reading = context.read(resourceVersion)
  let query = listQuery(selection, { resourceVersion }, paged ? pageSize : undefined)
  let tokens = new PageTokens({ method: 'GET', ...target })
  let token: string | undefined
  let whole = false
  let seen: string | undefined
  stats.lists += 1
  context.count('reflector_lists_total')
  try {
    for (;;) {
      try {
        const { count } = reading
        const { metadata } = await page(context, query, reading)
        seen ??= metadata.resourceVersion
        // A page of a server without sharded lists may have only objects of other shards.
        token = tokens.after(metadata, target.shard === undefined ? reading.count - count : 1)
        if (token === undefined) break
        context.inPages ||= resourceVersion === '0'
        query = nextPageQuery(selection, pageSize, token)
      } catch (error) {
        if (token === undefined || whole || !isExpired(error)) throw error
        // The server no longer has the state of the pages, so the list is repeated in one answer (rule R4).
        whole = true
        token = undefined
        seen = undefined
        reading = context.read(resourceVersion)
        tokens = new PageTokens({ method: 'GET', ...target })
        query = listQuery(selection, { resourceVersion })
      }
    }
    if (seen === undefined || seen === '') {
      throw new InvalidBodyError('the list has no resourceVersion', { method: 'GET', ...target })
    }
    context.checkAge(seen, resourceVersion)
    context.observe('reflector_list_duration_seconds', (clock.monotonic() - begunAt) / 1000)
    context.observe('reflector_items_per_list', reading.count)
    context.commit(reading, seen, resourceVersion === '')
  } catch (error) {
    reading.drop()
    throw error
  }
}

/** Checks, by a list of one item, whether the server still knows the last resourceVersion. Rejects if not (rule R21). */
export async function check(context: ReflectorContext): Promise<void> {
  const { resourceVersion, target } = context
  await page(context, listQuery(target.selection, { resourceVersion }, 1), undefined)
}

/** Reads one answer. It gives up after a time without an item, because a list has no other time-out. */
async function page(context: ReflectorContext, query: string, reading: SnapshotFanOut | undefined): Promise<ListHead> {
  const { settings, target, clock, stats } = context
  const { context: client, maxObjectBytes } = settings
  const giveUp = new AbortController()
  context.underWay = { interrupt: () => giveUp.abort() }
  // A stop between two pages found no request to end.
  if (context.stopped) giveUp.abort()
  let count = 0
  let counted = 0
  let timer = clock.timer(silenceMs, function silent() {
    if (count === counted) giveUp.abort(new TimeoutError(silenceMs, { method: 'GET', ...target }))
    counted = count
    timer = clock.timer(silenceMs, silent)
  })
  const item = (object: object, bytes: number): void => {
    count += 1
    stats.bytes += bytes
    reading?.put(object, bytes)
  }
  try {
    return await readItems(client, target, query, item, {
      signal: giveUp.signal,
      gzip: client.gzip,
      isPatient: true,
      maxItemBytes: maxObjectBytes,
      skipped: error => context.skipped(error, 'list'),
    })
  } finally {
    timer.cancel()
    context.underWay = undefined
  }
}
