import type { StoredText } from '../objects/stored.ts'

/** The type of a change for a watch that sees every object. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** One state of one object, from one resourceVersion to the next. Only `prev` ever changes. */
export interface Version extends StoredText {
  /** `namespace/name`, or `name` if there is no namespace. */
  readonly key: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly rv: number
  readonly type: ChangeType
  readonly labels: { readonly [key: string]: string } | undefined
  /** The uids of the object's owners, for garbage collection. */
  readonly owners: readonly string[] | undefined
  /** Whether the object has a deletionTimestamp. */
  readonly terminating: boolean
  /** The version (`v1`) at which the state was written. */
  readonly storedAs: string
  /** The schema under which the state was written, if its resource has one. */
  readonly schema: string | undefined
  /** For a state that was converted to another version: the stored state. */
  readonly source?: Version | undefined
  /** The state before, while the history contains it. */
  prev: Version | undefined
}

/** The state of a key at `rv`, found by following the history back; `undefined` if the object did not exist. */
export function at(version: Version | undefined, rv: number): Version | undefined {
  let state = version
  while (state !== undefined && state.rv > rv) state = state.prev
  return state === undefined || state.type === 'DELETED' ? undefined : state
}
