import { InvalidBodyError, located } from '../bytes/bounds.ts'
import { ListCutter } from '../bytes/list.ts'
import type { ListHead, ListMeta } from '../bytes/list-head.ts'
import { type ReadContext, readPieces } from '../bytes/read.ts'
import type { RequestInfo } from '../errors/request-info.ts'
import { InvalidObjectError, isNamed, type ReceivedObject } from './object.ts'
import type { ReadTarget } from './target.ts'

/** How one list request is read. */
export interface ItemsOptions {
  /** Ends it: the promise rejects with the signal's reason, and no item is handed on any more. */
  readonly signal?: AbortSignal | undefined
  /** Ask for gzip, which the server uses from 128 KiB on. @default false */
  readonly gzip?: boolean | undefined
  /** Longest item, in bytes. @default 16 MiB */
  readonly maxItemBytes?: number | undefined
  /** Hears of an item that is none, which was left out (rule R20). */
  readonly skipped?: ((error: InvalidObjectError) => void) | undefined
}

/**
 * Sends one list request and calls `item` with each item, and how long it was, as its bytes arrive, then lets go of it:
 * the list is never held (rule R7). The event loop is given back every few milliseconds. Resolves
 * with what the list says of itself once it was read to its end; only then are the items known to be
 * all, and their resourceVersion known.
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
  const { signal } = options
  const about = aboutList(target)
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const cutter = new ListCutter({
      maxItemBytes: options.maxItemBytes,
      exact: target.exact,
      lean: target.lean,
      type: target.metadata ? metadataType : target.type,
    })
    const over = (): void => signal?.removeEventListener('abort', aborted)
    const request = {
      path: target.path + query,
      accept: target.listAccept,
      lane: 'call',
      gzip: options.gzip ?? false,
    } as const
    const reading = readPieces<object>(context, request, about, cutter, {
      piece(object) {
        if (isNamed(object as ReceivedObject)) item(object, cutter.itemBytes)
        else options.skipped?.(new InvalidObjectError(target.resource, 'an item of the list has no name'))
      },
      end() {
        over()
        if (cutter.done && cutter.sawItems) resolve(cutter.head)
        else reject(new InvalidBodyError(`the answer is ${cutter.done ? 'no list' : 'cut short'}`, about))
      },
      error(cause) {
        over()
        reject(located(cause, about))
      },
    })
    const aborted = (): void => {
      reading.abort()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', aborted, { once: true })
  })
}

/** What errors say of a list. */
export function aboutList(target: ReadTarget): RequestInfo {
  const { path, resource, sensitive } = target
  return { method: 'GET', path, resource, sensitive }
}

/** The token of the page after the one with this metadata; `undefined` when there is none. */
export function nextToken(metadata: ListMeta): string | undefined {
  return metadata.continue === '' ? undefined : metadata.continue
}

const metadataType = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' } as const
