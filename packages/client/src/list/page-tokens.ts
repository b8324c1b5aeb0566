import { InvalidBodyError } from '../bytes/bounds.ts'
import type { ListMeta } from '../bytes/list-head.ts'
import type { RequestInfo } from '../errors/request-info.ts'

/** The number of empty pages in a row after which a list is given up. */
const mostEmpty = 10

/** The token of the next page in a page's metadata; `undefined` if there is none. */
export function nextToken(metadata: ListMeta): string | undefined {
  return metadata.continue === '' ? undefined : metadata.continue
}

/** The tokens of the pages of one list. A server that repeats tokens, or sends only empty pages, is an error. */
export class PageTokens {
  readonly #about: RequestInfo
  readonly #seen = new Set<string>()
  #empty = 0
  /** Whether the page before had a resourceVersion. */
  #hasVersion = false

  constructor(about: RequestInfo) {
    this.#about = about
  }

  /**
   * The token of the next page; `undefined` after the last one.
   *
   * @param items the number of items of the page
   * @throws InvalidBodyError for a token that came before, for the tenth page in a row without an item that is not the last, for a page without a
   * resourceVersion after a page with one, and for a last page that says that more items remain.
   */
  after(metadata: ListMeta, items: number): string | undefined {
    const token = nextToken(metadata)
    if (this.#hasVersion && !metadata.resourceVersion) {
      // Its `continue` is lost as well: objects on later pages would be taken for gone.
      throw new InvalidBodyError('a page has no resourceVersion', this.#about)
    }
    if (token === undefined) {
      const { remainingItemCount: remaining } = metadata
      // The rest of the list would be taken for gone.
      if (typeof remaining === 'number' && remaining > 0) {
        throw new InvalidBodyError('the page says that more items remain, and has no token for them', this.#about)
      }
      return undefined
    }
    this.#hasVersion = Boolean(metadata.resourceVersion)
    this.#empty = items === 0 ? this.#empty + 1 : 0
    if (this.#empty >= mostEmpty)
      throw new InvalidBodyError(`${mostEmpty} pages running are without an item`, this.#about)
    if (this.#seen.has(token)) throw new InvalidBodyError('the token of the next page came before', this.#about)
    this.#seen.add(token)
    return token
  }
}
