import { abortSignal, type Check, fieldManager, flag, integer, milliseconds, oneOf, text } from '../errors/check.ts'
import { OptionTypeError } from '../errors/option.ts'

/** The options of every call. */
export interface CallOptions {
  /** Ends the call, which rejects at once with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * How long the whole call may take, repeats and the waits between them included, in milliseconds;
   * `Infinity`: as long as it takes. Past it: a `TimeoutError`.
   * @default the client's `timeoutMs`
   */
  readonly timeoutMs?: number | undefined
}

/** How an object is read. */
export interface GetOptions extends CallOptions {
  /**
   * The object at least as new as this; `'0'`: any state, from the server's cache.
   * @default the newest
   */
  readonly resourceVersion?: string | undefined
}

/** The options of writes of an object. */
export interface WriteOptions extends CallOptions {
  /** Whether the server only checks the write and does not store it. @default false */
  readonly dryRun?: boolean | undefined
  /** The name that the server records as the fields' manager. @default the client's `fieldManager` */
  readonly fieldManager?: string | undefined
  /** How the server treats unknown and duplicate fields: as errors, as warnings, or not at all. @default the server's ('Warn') */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined
}

/** How a patch is sent. */
export interface PatchOptions extends WriteOptions {
  /**
   * `merge`: RFC 7396; `json`: RFC 6902; `strategic`: Kubernetes' own, for built-in types only.
   * @default 'json' for an array, else 'merge'
   */
  readonly type?: 'merge' | 'json' | 'strategic' | undefined
}

/** How a server-side apply is sent. */
export interface ApplyOptions extends WriteOptions {
  /** Whether to take over fields that other managers own, instead of failing with a conflict. @default false */
  readonly force?: boolean | undefined
}

/** How an object is deleted. */
export interface DeleteOptions extends CallOptions {
  /** Deletes only the object with this uid, or only this state of it; otherwise it is a conflict. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined
  /** How the server treats the dependents of the deleted object. @default the resource's default ('Background' for most) */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined
  /** Seconds until a pod is killed; 0: at once. @default the object's own */
  readonly gracePeriodSeconds?: number | undefined
  /** The server checks the deletion, and keeps the object. */
  readonly dryRun?: boolean | undefined
}

/** How a Pod is evicted. */
export interface EvictOptions extends DeleteOptions {}

type Checks<O> = { readonly [K in keyof O]-?: Check }

export const callChecks: Checks<CallOptions> = {
  signal: abortSignal,
  timeoutMs: milliseconds({ min: 1, infinite: true }),
}

export const getChecks: Checks<GetOptions> = { ...callChecks, resourceVersion: text }

export const writeChecks: Checks<WriteOptions> = {
  ...callChecks,
  dryRun: flag,
  fieldManager,
  fieldValidation: oneOf('Ignore', 'Warn', 'Strict'),
}

export const patchChecks: Checks<PatchOptions> = { ...writeChecks, type: oneOf('merge', 'json', 'strategic') }

export const applyChecks: Checks<ApplyOptions> = { ...writeChecks, force: flag }

export const deleteChecks: Checks<DeleteOptions> = {
  ...callChecks,
  preconditions: (option, value) => {
    if (value === null || typeof value !== 'object')
      throw new OptionTypeError(option, '{ uid, resourceVersion }', `${value}`)
    for (const [name, held] of Object.entries(value)) {
      if (name !== 'uid' && name !== 'resourceVersion') {
        throw new OptionTypeError(`${option}.${name}`, 'nothing: uid and resourceVersion are preconditions', `${held}`)
      }
      if (held !== undefined) text(`${option}.${name}`, held)
    }
  },
  propagationPolicy: oneOf('Background', 'Foreground', 'Orphan'),
  gracePeriodSeconds: integer(0),
  dryRun: flag,
}
