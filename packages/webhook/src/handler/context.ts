import type { FromServer, LabelSelectorInput, ObjectMeta, View } from '@wherry/client'
import type { AdmissionUser, Operation } from './request.ts'

/** An object that a client submits. It has metadata, and its name may be missing (`generateName`). */
export type Submitted<C> = C & { metadata: ObjectMeta }

/** Names an object to read. A missing namespace is that of the request. */
export interface CachedKey {
  readonly name: string
  readonly namespace?: string | undefined
}

/** Which objects of a view to list. */
export interface CachedListOptions {
  /** Lists only objects of this namespace. @default all namespaces of the view */
  readonly namespace?: string | undefined
  /** Lists only objects with these labels. @default all objects of the view */
  readonly labels?: LabelSelectorInput | undefined
}

/**
 * Reads from the operator's caches, and never from the API server. A read never waits: if no synced informer serves the view, it rejects with a
 * `NotInCacheError`. Declare the views with `.reads(view)`, so that the operator is ready only once they are synced. Do not change returned objects.
 */
export interface CachedRead {
  /** Reads an object; `undefined` if it does not exist. */
  get<C>(view: View<C>, key: CachedKey): Promise<FromServer<C> | undefined>
  /** The objects of a view, in no particular order. */
  list<C>(view: View<C>, options?: CachedListOptions): Promise<FromServer<C>[]>
}

/** The field and the status of a denial. */
export interface DenyOptions {
  /** The path of the field, which `kubectl` shows: `spec.players`. @default none */
  readonly field?: string | undefined
  /** The HTTP status that the client gets, from 400 to 599. With several denials, the code of the first counts. @default 403 */
  readonly code?: number | undefined
}

/** The context of every handler. It is valid until the handler has ended. */
export interface CommonContext {
  /** The uid of the request, which is also in the log. */
  readonly uid: string
  /** The name of the object; `undefined` if the server generates the name later. */
  readonly name: string | undefined
  /** The namespace of the object; `undefined` for a cluster-scoped object. */
  readonly namespace: string | undefined
  /** `status` or `scale`; `undefined` if the object itself is written. */
  readonly subResource: string | undefined
  /** The sender of the request. */
  readonly user: AdmissionUser
  /** Whether nothing will be stored. The context has nothing to write with; do not write by other means either if this is true. */
  readonly isDryRun: boolean
  /** The `CreateOptions`, `UpdateOptions` or `DeleteOptions` of the request, including `fieldManager`. */
  readonly options: Readonly<Record<string, unknown>>
  /** Reads from the operator's caches. */
  readonly read: CachedRead
  /** Refuses the request. The handler continues, and the answer has all denials of the run. */
  deny(message: string, options?: DenyOptions): void
  /** Sends the client a warning, which `kubectl` prints. The API server cuts each warning after 256 characters, and all warnings together after 4096. */
  warn(message: string): void
  /** Aborted when the handler is past its deadline, and when it has ended. */
  readonly signal: AbortSignal
}

/**
 * The objects of a request: narrow them by `operation`. They are frozen. Integers beyond 2^53 − 1 are rounded: do not compare them.
 */
export type ReviewedObjects<C, O extends Operation> = {
  readonly CREATE: { readonly operation: 'CREATE'; readonly object: Submitted<C>; readonly old: undefined }
  readonly UPDATE: { readonly operation: 'UPDATE'; readonly object: FromServer<C>; readonly old: FromServer<C> }
  readonly DELETE: { readonly operation: 'DELETE'; readonly object: undefined; readonly old: FromServer<C> }
}[O]

/** The context of a validating handler. */
export type ValidateContext<C, O extends Operation = 'CREATE' | 'UPDATE'> = CommonContext & ReviewedObjects<C, O>

/** The context of a mutating handler: that of a validating handler, and a draft to change. */
export type MutateContext<C, O extends Operation = 'CREATE' | 'UPDATE'> = ValidateContext<C, O> & {
  /** A copy of `object`. Its differences from `object` are the answer; a draft without changes changes nothing. */
  readonly draft: Submitted<C>
}

/** Checks a request, and refuses it by `deny`. If the handler throws, or is past its deadline, `failurePolicy` decides. */
export type Validate<C, O extends Operation = 'CREATE' | 'UPDATE'> = (
  context: ValidateContext<C, O>,
) => void | Promise<void>

/** Changes the draft. It may run twice for a request, and the second run must change nothing more. */
export type Mutate<C, O extends Operation = 'CREATE' | 'UPDATE'> = (
  context: MutateContext<C, O>,
) => void | Promise<void>
