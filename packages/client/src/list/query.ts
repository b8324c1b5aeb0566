import { queryText } from '../views/path.ts'
import type { Selection } from './target.ts'

/** The default number of items on a page. */
export const defaultLimit = 500

/** Which state a list shows. */
export interface ListState {
  /**
   * `undefined` or `''`: the newest state. `'0'`: any state of the server's cache. Otherwise a state not older than
   * this, or with `exactly` exactly this state.
   */
  readonly resourceVersion?: string | undefined
  /** Whether to read the state at exactly `resourceVersion`. It is an `isExpired` error if the server no longer has it. @default false */
  readonly exactly?: boolean | undefined
}

/** The query of a list or of its first page. A `limit` with only a resourceVersion would mean that very state (rule R2). */
export function listQuery(selection: Selection, state: ListState, limit?: number | undefined): string {
  const { resourceVersion, exactly } = state
  const definite = resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== '0'
  return queryText({
    ...selection,
    limit,
    resourceVersion,
    resourceVersionMatch: !definite ? undefined : exactly ? 'Exact' : limit === undefined ? undefined : 'NotOlderThan',
  })
}

/** The query of a later page. The token stands only for the state, so selectors and the limit are repeated (rule R3). */
export function nextPageQuery(selection: Selection, limit: number, token: string): string {
  return queryText({ ...selection, limit, continue: token })
}
