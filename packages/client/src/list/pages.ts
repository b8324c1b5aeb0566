import type { ListHead, ListMeta } from '../bytes/list-head.ts'
import type { ReadContext } from '../bytes/read.ts'
import { isExpired } from '../errors/guards.ts'
import { type ItemsOptions, nextToken, readItems } from './items.ts'
import { type ListState, listQuery, nextPageQuery } from './query.ts'
import type { ReadTarget } from './target.ts'

/** How a list is read in pages. */
export interface PagesOptions extends ItemsOptions {
  /** Which state is listed; all pages show the same one. */
  readonly state?: ListState | undefined
  /** Most items of a page. A server that lists from its cache may send more. @default 500 */
  readonly limit?: number | undefined
}

/** Items on a page, unless asked otherwise. */
export const defaultLimit = 500

/** One page of a list. */
export interface Page<T> {
  readonly items: T[]
  readonly metadata: ListMeta
  /**
   * The token of this list expired on the way, and it began again: this page is the whole list, in a
   * newer state, and the pages before it are void (rule R4).
   */
  readonly restarted: boolean
}

/**
 * Reads a list in pages and calls `item` with each item as it arrives. `restart` is called where the
 * token expired on the way: what came so far is void, and the whole list follows in one (rule R4).
 * Resolves with the last page's head; its resourceVersion is that of all pages.
 */
export async function readPages(
  context: ReadContext,
  target: ReadTarget,
  on: { item(object: object): void; restart(): void },
  options: PagesOptions = {},
): Promise<ListHead> {
  const pages = pageHeads(target, options, {
    read: query => readItems(context, target, query, object => on.item(object), options),
    restart: () => on.restart(),
  })
  let last: ListHead | undefined
  for await (const head of pages) last = head
  return last as ListHead
}

/** The pages of a list, each asked for when it is wanted. See {@link Page.restarted}. */
export async function* listPages<T>(
  context: ReadContext,
  target: ReadTarget,
  project: (object: object) => T,
  options: PagesOptions = {},
): AsyncGenerator<Page<T>, void, undefined> {
  let items: T[] = []
  let restarted = false
  const pages = pageHeads(target, options, {
    read(query) {
      items = []
      return readItems(context, target, query, object => items.push(project(object)), options)
    },
    restart() {
      restarted = true
    },
  })
  for await (const { metadata } of pages) yield { items, metadata, restarted }
}

async function* pageHeads(
  target: ReadTarget,
  options: PagesOptions,
  on: { read(query: string): Promise<ListHead>; restart(): void },
): AsyncGenerator<ListHead, void, undefined> {
  const { state = {}, limit = defaultLimit } = options
  let head = await on.read(listQuery(target.selection, state, limit))
  yield head
  for (let token = nextToken(head.metadata); token !== undefined; token = nextToken(head.metadata)) {
    try {
      head = await on.read(nextPageQuery(target.selection, limit, token))
    } catch (error) {
      if (!isExpired(error)) throw error
      on.restart()
      head = await on.read(listQuery(target.selection, state))
    }
    yield head
  }
}
