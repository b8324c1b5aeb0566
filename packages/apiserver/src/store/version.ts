import type { StoredText } from '../objects/stored.ts'

/** What a change was to a watch that sees every object. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** One state of one object, from one resourceVersion to the next. Never changed, but for `prev`. */
export interface Version extends StoredText {
  /** `namespace/name`, or `name` where there is no namespace. */
  readonly key: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly rv: number
  readonly type: ChangeType
  readonly labels: { readonly [key: string]: string } | undefined
  /** uids of its owners, for garbage collection. */
  readonly owners: readonly string[] | undefined
  /** Whether it has a deletionTimestamp. */
  readonly terminating: boolean
  /** The version (`v1`) that it was written at. */
  readonly storedAs: string
  /** The schema that it was written under, if its resource has one. */
  readonly schema: string | undefined
  /** The state that is stored, of one that was converted to another version. */
  readonly source?: Version | undefined
  /** The state before, while history still reaches it. */
  prev: Version | undefined
}

/** The state that a key had at `rv`, following history back; `undefined` when it did not exist. */
export function at(version: Version | undefined, rv: number): Version | undefined {
  let state = version
  while (state !== undefined && state.rv > rv) state = state.prev
  return state === undefined || state.type === 'DELETED' ? undefined : state
}
