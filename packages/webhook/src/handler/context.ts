import type { FromServer, LabelSelectorInput, ObjectMeta, View } from '@wherry/client'
import type { AdmissionUser, Operation } from './request.ts'

/** An object as a client submits it: it has metadata, and its name may be missing (`generateName`). */
export type Submitted<C> = C & { metadata: ObjectMeta }

/** Names an object to read. A missing namespace is that of the request. */
export interface CachedKey {
  readonly name: string
  readonly namespace?: string | undefined
}

/** Which objects of a view to list. */
export interface CachedListOptions {
  /** Only objects of this namespace. @default all of the view's */
  readonly namespace?: string | undefined
  /** Only objects with these labels. @default all of the view's */
  readonly labels?: LabelSelectorInput | undefined
}

/**
 * Reads from the operator's caches, and never from the API server. It never waits: if no synced informer serves the view, the read rejects with a
 * `NotInCacheError`. Declare the views with `.reads(view)`, so that the operator is ready only once they are synced. Do not change what it returns.
 */
export interface CachedRead {
  /** One object; `undefined` if it does not exist. */
  get<C>(view: View<C>, key: CachedKey): Promise<FromServer<C> | undefined>
  /** The objects of a view, in no particular order. */
  list<C>(view: View<C>, options?: CachedListOptions): Promise<FromServer<C>[]>
}

/** What a denial is about. */
export interface DenyOptions {
  /** The field, as `kubectl` shows it: `spec.players`. @default none */
  readonly field?: string | undefined
  /** The HTTP status that the client gets, from 400 to 599. Of several denials the first one's counts. @default 403 */
  readonly code?: number | undefined
}

/** What every handler receives. It is valid until the handler has ended. */
export interface CommonContext {
  /** The uid of the request. It is also in the log. */
  readonly uid: string
  /** The name of the object; `undefined` if the server is still to generate it. */
  readonly name: string | undefined
  /** The namespace of the object; `undefined` for a cluster-scoped object. */
  readonly namespace: string | undefined
  /** `status` or `scale`; `undefined` if the object itself is written. */
  readonly subResource: string | undefined
  /** The sender of the request. */
  readonly user: AdmissionUser
  /** Whether nothing will be stored. The context has nothing to write with; do not write by other means either if this is true. */
  readonly isDryRun: boolean
  /** The `CreateOptions`, `UpdateOptions` or `DeleteOptions` of the request, `fieldManager` among them. */
  readonly options: Readonly<Record<string, unknown>>
  /** Reads from the operator's caches. */
  readonly read: CachedRead
  /** Refuses the request, and goes on: all denials of a run are in the one answer. */
  deny(message: string, options?: DenyOptions): void
  /** Gives the client a warning, which `kubectl` prints. The API server cuts warnings after 256 characters, and all of them after 4096. */
  warn(message: string): void
  /** Aborted when the handler is past its deadline, and when it has ended. */
  readonly signal: AbortSignal
}

/**
 * The objects of a request, by its operation: narrow by `operation`. They are frozen. Integers beyond 2^53 − 1 are rounded: do not compare them.
 */
export type ReviewedObjects<C, O extends Operation> = {
  readonly CREATE: { readonly operation: 'CREATE'; readonly object: Submitted<C>; readonly old: undefined }
  readonly UPDATE: { readonly operation: 'UPDATE'; readonly object: FromServer<C>; readonly old: FromServer<C> }
  readonly DELETE: { readonly operation: 'DELETE'; readonly object: undefined; readonly old: FromServer<C> }
}[O]

/** What a validating handler receives. */
export type ValidateContext<C, O extends Operation = 'CREATE' | 'UPDATE'> = CommonContext & ReviewedObjects<C, O>

/** What a mutating handler receives: the same, and a draft to change. */
export type MutateContext<C, O extends Operation = 'CREATE' | 'UPDATE'> = ValidateContext<C, O> & {
  /** A copy of `object`. Its differences are the answer; a draft left alone changes nothing. */
  readonly draft: Submitted<C>
}

/** Looks at a request. It refuses the request by `deny`. If it throws, or is past its deadline, `failurePolicy` decides. */
export type Validate<C, O extends Operation = 'CREATE' | 'UPDATE'> = (
  context: ValidateContext<C, O>,
) => void | Promise<void>

/** Changes the draft. It may run twice for one request, so a second run must find nothing left to change. */
export type Mutate<C, O extends Operation = 'CREATE' | 'UPDATE'> = (
  context: MutateContext<C, O>,
) => void | Promise<void>
