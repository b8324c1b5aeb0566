import type { ListMeta } from '../bytes/list-head.ts'
import type { ReadContext } from '../bytes/read.ts'
import { type ItemsOptions, readItems } from './items.ts'
import { type ListState, listQuery } from './query.ts'
import type { ReadTarget } from './target.ts'

/** A list that is held in memory. */
export interface List<T> {
  readonly items: T[]
  readonly metadata: ListMeta
}

/** Which list is read, and how. */
export interface ListReadOptions extends ItemsOptions {
  /** Which state is listed. */
  readonly state?: ListState | undefined
  /** Only one page of so many items; `metadata.continue` tells whether there are more. @default all */
  readonly limit?: number | undefined
}

/**
 * Reads a list in one request and calls `item` with each item as it arrives, holding none: for what
 * is too large to hold. See {@link readItems} for how it ends.
 */
export async function eachItem(
  context: ReadContext,
  target: ReadTarget,
  item: (object: object) => void,
  options: ListReadOptions = {},
): Promise<ListMeta> {
  const query = listQuery(target.selection, options.state ?? {}, options.limit)
  const { metadata } = await readItems(context, target, query, item, options)
  return metadata
}

/** Reads a list in one request, and collects what `project` gives for its items. */
export async function wholeList<T>(
  context: ReadContext,
  target: ReadTarget,
  project: (object: object) => T,
  options: ListReadOptions = {},
): Promise<List<T>> {
  const items: T[] = []
  const metadata = await eachItem(context, target, object => items.push(project(object)), options)
  return { items, metadata }
}
