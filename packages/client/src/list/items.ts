import { abortable } from '../abortable.ts'
import { InvalidBodyError, located } from '../bytes/bounds.ts'
import { ListCutter } from '../bytes/list.ts'
import type { ListHead } from '../bytes/list-head.ts'
import { type ReadContext, type ReadHandlers, type Reading, readPieces } from '../bytes/read.ts'
import type { RequestInfo } from '../errors/request-info.ts'
import { whyUnproved } from './list-proof.ts'
import { InvalidObjectError, isOfOtherShard, type ReceivedObject, whyStray } from './object.ts'
import type { ReadTarget } from './target.ts'

/** The options of a list request. */
export interface ItemsOptions {
  /** Ends the request: the promise rejects with the signal's reason, and no further item is delivered. */
  readonly signal?: AbortSignal | undefined
  /** Ask for gzip, which the server uses from 128 KiB on. @default false */
  readonly gzip?: boolean | undefined
  /** Longest item, in bytes. @default 16 MiB */
  readonly maxItemBytes?: number | undefined
  /** Receives the error of an item that is no object, which was left out (rule R20). */
  readonly skipped?: ((error: InvalidObjectError) => void) | undefined
  /** The caller has a backoff of its own: see the request's. @default false */
  readonly isPatient?: boolean | undefined
}

/** Receives the items of one list, then exactly one of `end` and `error`. */
export interface ItemHandlers {
  /** Receives an item and its size in bytes. If it throws, the request ends, and `error` receives the error. */
  item(object: object, bytes: number): void
  /** The list was read to its end: only now are the items known to be all, and their resourceVersion known. */
  end(head: ListHead): void
  /** An `ApiError` (before any item), a `ConnectionError`, an `InvalidBodyError`, or an `ItemTooLongError`. */
  error(cause: Error): void
  /** Receives the error of an item that is no object, which was left out (rule R20). */
  readonly skipped?: ((error: InvalidObjectError) => void) | undefined
}

/**
 * Sends one list request, and calls `item` with each item and its size as its bytes arrive, so that
 * the list is never held (rule R7). It yields to the event loop every few milliseconds. Resolves
 * with the list's metadata after its end; only then all items and the resourceVersion are
 * known.
 *
 * Rejects with an `ApiError` (before any item), a `ConnectionError`, an `InvalidBodyError`, an
 * `ItemTooLongError`, the signal's reason, or what `item` throws.
 */
export function readItems(
  context: ReadContext,
  target: ReadTarget,
  query: string,
  item: (object: object, bytes: number) => void,
  options: ItemsOptions = {},
): Promise<ListHead> {
  return abortable(options.signal, (resolve, reject) => {
    const on = { item, end: resolve, error: reject, skipped: options.skipped }
    const reading = startItems(context, target, query, options, on)
    return () => reading.abort()
  })
}

/**
 * As {@link readItems}, without a promise and a signal, for very many short lists. `on` is called as an object, never
 * before this has returned, and not after `abort()`.
 */
export function startItems(
  context: ReadContext,
  target: ReadTarget,
  query: string,
  options: Pick<ItemsOptions, 'gzip' | 'maxItemBytes' | 'isPatient'>,
  on: ItemHandlers,
): Reading {
  const items = new Items(target, options.maxItemBytes, on)
  const request = {
    path: target.path + query,
    accept: target.listAccept,
    lane: 'call',
    isPatient: options.isPatient,
    gzip: options.gzip ?? false,
  } as const
  return readPieces<object>(context, request, items.about, items.cutter, items)
}

class Items implements ReadHandlers<object> {
  readonly cutter: ListCutter
  readonly about: RequestInfo
  readonly #target: ReadTarget
  readonly #on: ItemHandlers
  /** Whether an item was of another shard. */
  #hasOthers = false

  constructor(target: ReadTarget, maxItemBytes: number | undefined, on: ItemHandlers) {
    this.#target = target
    const { exact, lean, metadata, type } = target
    this.cutter = new ListCutter({ maxItemBytes, exact, lean, type: metadata ? metadataType : type })
    this.about = aboutList(target)
    this.#on = on
  }

  piece(object: object): void {
    const why = whyStray(object as ReceivedObject, this.#target)
    if (why === undefined) {
      if (isOfOtherShard(object as ReceivedObject, this.#target)) this.#hasOthers = true
      else this.#on.item(object, this.cutter.itemBytes)
    } else this.#on.skipped?.(new InvalidObjectError(this.#target.resource, `an item of the list ${why}`))
  }

  end(): void {
    const { done, sawItems, head } = this.cutter
    const why = !done
      ? 'the answer is cut short'
      : !sawItems
        ? 'the answer is no list'
        : this.#hasOthers && head.metadata.shardInfo !== undefined
          ? 'the server has selected by a shard, and has sent objects of another one: it hashes uids in another way'
          : whyUnproved(head, this.#target)
    if (why === undefined) this.#on.end(head)
    else this.#on.error(new InvalidBodyError(why, this.about))
  }

  error(cause: Error): void {
    this.#on.error(located(cause, this.about))
  }
}

/** The request of a list, for errors. */
export function aboutList(target: ReadTarget): RequestInfo {
  const { path, resource, sensitive } = target
  return { method: 'GET', path, resource, sensitive }
}

const metadataType = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' } as const
