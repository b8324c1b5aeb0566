import type { ListHead, ListMeta } from '../bytes/list-head.ts'
import { checkOptions, flag, integer, text } from '../errors/check.ts'
import { isExpired } from '../errors/guards.ts'
import { OptionRangeError, OptionTypeError } from '../errors/option.ts'
import { type ItemsOptions, readItems } from '../list/items.ts'
import { nextToken, PageTokens } from '../list/page-tokens.ts'
import { defaultLimit, type ListState, listQuery, nextPageQuery } from '../list/query.ts'
import { type ReadTarget, targetsOf } from '../list/target.ts'
import { projector } from '../views/read.ts'
import type { View } from '../views/resource.ts'
import type { Bound, Caller } from './caller.ts'
import type { CallOptions } from './options.ts'
import { callChecks } from './options.ts'

/** Which state of a collection is read, and how. */
export interface ListOptions extends CallOptions {
  /** A state at least as new as this; `'0'`: any state, from the server's cache. @default the newest */
  readonly resourceVersion?: string | undefined
  /** Whether to read exactly the state of `resourceVersion`; fails with `isExpired` if the server no longer has it. @default false */
  readonly exactly?: boolean | undefined
  /** `shardRange(…)`. Servers without sharded lists silently ignore it: filter the result again. @default none */
  readonly shardSelector?: string | undefined
  /** The longest item, in bytes. @default 16 MiB */
  readonly maxItemBytes?: number | undefined
}

/** Which page of a list is read. */
export interface ListPageOptions extends ListOptions {
  /** Reads one page, of at most this many items. @default the whole list */
  readonly limit?: number | undefined
  /** Reads the page after the one that returned this token; needs the same `limit`. */
  readonly continue?: string | undefined
}

/** How a list is read page by page. */
export interface PagesOptions extends ListOptions {
  /** How long the read of each page may take, in milliseconds; `Infinity`: as long as it takes. @default the client's `timeoutMs` */
  readonly timeoutMs?: number | undefined
  /** The maximum number of items on a page. @default 500 */
  readonly limit?: number | undefined
}

/** A list in memory. */
export interface List<C> {
  readonly items: C[]
  /** The resourceVersion from which a watch can start. `undefined` for a view of several namespaces, which are listed one after the other. */
  readonly resourceVersion: string | undefined
  /** The token of the next page, if there is one. */
  readonly continue: string | undefined
  /** How many items later pages have; unknown if the view has a selector. */
  readonly remainingItemCount: number | undefined
}

/** One page of a list. */
export interface ListPage<C> extends List<C> {
  /**
   * Whether the token has expired: then this page is the whole list in a newer state. Discard the pages before it; if the view names several namespaces,
   * discard only those of the same namespace.
   */
  readonly restarted: boolean
}

const listChecks = {
  ...callChecks,
  resourceVersion: text,
  exactly: flag,
  shardSelector: text,
  maxItemBytes: integer(1),
}
const pageChecks = { ...listChecks, limit: integer(1) }

/** Reads a list, or one page of it, into memory. Its body is cut into items as it arrives, and never held as a whole. */
export async function list<C>(caller: Caller, view: View<C>, options: ListPageOptions = {}): Promise<List<C>> {
  checkOptions('list', options, { ...pageChecks, continue: text })
  const items: C[] = []
  const metadata = await read(caller, view, options, collector(items, projector(view)))
  return listOf(items, metadata)
}

/** Reads a list, calls `item` for each item as it arrives, and holds none. */
export async function listEach<C>(
  caller: Caller,
  view: View<C>,
  item: (object: C) => void,
  options: ListOptions = {},
): Promise<Omit<List<C>, 'items'>> {
  checkOptions('listEach', options, listChecks)
  if (typeof item !== 'function') throw new OptionTypeError('item', 'a function of an object', typeof item)
  const project = projector(view)
  const metadata = await read(caller, view, options, () => {
    let isDelivered = false
    const deliver = (object: object): void => {
      isDelivered = true
      item(project(object))
    }
    return { item: deliver, restart: () => !isDelivered }
  })
  const { items: _, ...rest } = listOf([], metadata)
  return rest
}

/** Iterates over the pages of a list, each requested on demand with the whole time of the call. */
export function pages<C>(
  caller: Caller,
  view: View<C>,
  options: PagesOptions = {},
): AsyncGenerator<ListPage<C>, void, undefined> {
  checkOptions('pages', options, pageChecks)
  return readPages(caller, view, options)
}

async function* readPages<C>(
  caller: Caller,
  view: View<C>,
  options: PagesOptions,
): AsyncGenerator<ListPage<C>, void, undefined> {
  const project = projector(view)
  const { limit = defaultLimit } = options
  const state = stateOf(options)
  for (const target of targetsOf(view, options.shardSelector)) {
    const tokens = new PageTokens({ method: 'GET', ...target })
    let token: string | undefined
    let restarted = false
    do {
      const query =
        token === undefined ? listQuery(target.selection, state, limit) : nextPageQuery(target.selection, limit, token)
      const page: ListPage<C> = await caller.whole(options, { method: 'GET', ...target }, async inner => {
        try {
          return { ...(await collected(inner, target, query, project, options)), restarted }
        } catch (error) {
          if (token === undefined || !isExpired(error)) throw error
          // The server no longer has the state of the pages. All objects of a newer state follow in one answer (rule R4).
          restarted = true
          const whole = listQuery(target.selection, state)
          return { ...(await collected(inner, target, whole, project, options)), restarted }
        }
      })
      yield page
      // A page of a server without sharded lists may have only objects of other shards.
      token = tokens.after(page, target.shard === undefined ? page.items.length : 1)
    } while (token !== undefined)
  }
}

export async function collected<C>(
  caller: Caller,
  target: ReadTarget,
  query: string,
  project: (object: object) => C,
  options: ListOptions,
): Promise<List<C>> {
  const items: C[] = []
  const on = collector(items, project)()
  const about = { method: 'GET', ...target }
  const metadata = await caller.within(options, about, bound => readOnce(caller, target, query, options, bound, on))
  return listOf(items, metadata)
}

/** Receives one list, of one namespace or of all. */
interface ItemHandlers {
  item(object: object): void
  /** Called when the answer broke off. Returns whether the list may be read from its start again. */
  restart(): boolean
}

function collector<C>(items: C[], project: (object: object) => C): () => ItemHandlers {
  return () => {
    const before = items.length
    const restart = (): boolean => {
      items.length = before
      return true
    }
    return { item: object => items.push(project(object)), restart }
  }
}

/** Reads the namespaces of a view one after the other. Resolves with `undefined` for several namespaces, which have no common state. */
function read(
  caller: Caller,
  view: View,
  options: ListPageOptions,
  begin: () => ItemHandlers,
): Promise<ListMeta | undefined> {
  const { limit, continue: token } = options
  const targets = targetsOf(view, options.shardSelector)
  if (targets.length > 1 && (limit !== undefined || token !== undefined)) {
    const takes = 'nothing for a view of several namespaces: read its pages()'
    throw new OptionRangeError('list.limit', takes, `${limit ?? token}`)
  }
  if (token !== undefined && (options.resourceVersion !== undefined || options.exactly === true)) {
    throw new OptionRangeError('list.continue', 'the resourceVersion of its first page, or none', 'one')
  }
  if (token !== undefined && limit === undefined) {
    throw new OptionRangeError('list.limit', 'the limit of the first page, together with continue', 'nothing')
  }
  const about = { method: 'GET', ...(targets[0] as ReadTarget) }
  return caller.within(options, about, async bound => {
    let last: ListMeta | undefined
    for (const target of targets) {
      const query =
        token === undefined
          ? listQuery(target.selection, stateOf(options), limit)
          : nextPageQuery(target.selection, limit as number, token)
      last = await readOnce(caller, target, query, options, bound, begin())
    }
    return targets.length === 1 ? last : undefined
  })
}

/** Sends one list request, with repetitions. */
async function readOnce(
  caller: Caller,
  target: ReadTarget,
  query: string,
  options: ListOptions,
  bound: Bound,
  on: ItemHandlers,
): Promise<ListMeta> {
  const how: ItemsOptions = {
    signal: bound.signal,
    gzip: caller.gzip,
    maxItemBytes: options.maxItemBytes,
    skipped: error => caller.environment.onError(error, { resource: target.resource, phase: 'list' }),
  }
  const once = (): Promise<ListHead> => readItems(caller, target, query, object => on.item(object), how)
  return (await caller.repeat({ method: 'GET', ...target }, bound, once, () => on.restart())).metadata
}

function stateOf({ resourceVersion, exactly }: ListOptions): ListState {
  if (exactly === true && (resourceVersion === undefined || resourceVersion === '0')) {
    throw new OptionRangeError('list.exactly', 'true only together with a resourceVersion', `${resourceVersion}`)
  }
  return { resourceVersion, exactly }
}

function listOf<C>(items: C[], metadata: ListMeta | undefined): List<C> {
  return {
    items,
    resourceVersion: metadata?.resourceVersion,
    continue: metadata && nextToken(metadata),
    remainingItemCount: metadata?.remainingItemCount,
  }
}
