import type { FullObject, KubernetesObject, Scope, View } from '@wherry/client'
import {
  abortSignal,
  anything,
  type Check,
  checkOptions,
  fieldManager,
  fieldManagers,
  flag,
  milliseconds,
  oneOf,
  text,
} from '@wherry/client/internal'
import type { OwnerOptions } from '../objects/owner.ts'
import { type FieldPath, onceCheck } from './once.ts'

/** How an object is applied. */
export interface DesiredOptions {
  /**
   * Whether the primary object owns the applied object, and how. An object without an owner stays when the primary object is deleted. A namespaced
   * primary object can't own an object in another namespace or a cluster-scoped one. The primary object never owns itself.
   * @default true
   */
  readonly owner?: boolean | OwnerOptions | undefined
  /**
   * Takes over an existing object that no object controls; with `owner: false`, also an object that another object controls. Without it, `apply`
   * rejects with a `NotOursError`. `{ uid }` takes over only the object with that uid, and not one that somebody has put in its place since you looked.
   * @default false; true with `owner: false`, because such objects are shared on purpose
   */
  readonly adopt?: boolean | { readonly uid: string } | undefined
  /** Takes over fields that other managers own. With `false`, they are a conflict that names the managers and fields. @default true */
  readonly force?: boolean | undefined
  /**
   * Whether the first apply of a list may replace one that others have filled, if the server takes the list as one value (`imagePullSecrets`). With
   * `false`, `apply` rejects with a `UsageError` (`SHARED_LIST`) that names the list.
   * @default false
   */
  readonly replaceLists?: boolean | undefined
  /** The field manager. @default OPERATOR/CONTROLLER */
  readonly fieldManager?: string | undefined
  /**
   * Field managers of earlier versions of this operator, whether they wrote by update or by apply. From its first apply to an object on, this
   * manager owns the fields that they wrote. If the operator's own client has a `fieldManager` (as `Operator.connect` gives it), the fields count too
   * that this client wrote to an object that the primary object controls, or to the primary object's status.
   * @default none
   */
  readonly formerManagers?: readonly string[] | undefined
  /** How the server treats unknown and duplicate fields: as errors, as warnings, or not at all. @default the server's ('Warn') */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined
  /**
   * What happens to a write that has to wait. `reject`: `apply` rejects with an `ApplyDelayedError`, which ends the run unless you catch it.
   * `resolve`: it resolves with the outcome `delayed`, and the reconcile goes on. In both cases the key runs again when the write may be sent.
   * @default 'reject'
   */
  readonly onDelay?: 'reject' | 'resolve' | undefined
  /**
   * What happens if the desired state is valid, but a field of the existing object can't be changed: the type of a Secret, the selector of a
   * Deployment, the template of a Job. `fail` rejects with an `ImmutableFieldError` that names the field. `recreate` deletes the object, by its uid
   * and with its dependents, and creates it again. `recreate-orphan` leaves the dependents as they are, so that the new object takes them over: a
   * StatefulSet keeps its Pods when its claims grow. Only an object that the primary object controls is ever deleted.
   * @default 'fail'
   */
  readonly whenImmutable?: 'fail' | 'recreate' | 'recreate-orphan' | undefined
  /**
   * `create`: creates the object if it does not exist, and never changes it afterwards, whatever `desired` says then. For objects that are made once, such as
   * a generated password. If the object exists, it must be the primary object's, as for any apply.
   * @default it is created, and kept as desired
   */
  readonly only?: 'create' | undefined
  /**
   * Fields that are set when the object is created, and never again: `['data']`, `['spec.clusterIP']`, `[['data', 'tls.key']]` for a name with a dot.
   * Each path must be in `desired`; `stringData` of a Secret means those keys of its `data`. Later applies send the other fields, and these
   * keep the value that they have, whatever `desired` says. Another field manager, `MANAGER/once`, owns them. The operator needs `list` of the object.
   * @default none
   */
  readonly once?: readonly FieldPath[] | undefined
  /** Aborts the apply, in addition to the run's own signal. */
  readonly signal?: AbortSignal | undefined
  /** How long a request may take, in milliseconds. @default the client's */
  readonly timeoutMs?: number | undefined
}

export const desiredChecks: Readonly<Record<keyof DesiredOptions, Check>> = {
  owner: anything,
  adopt: (option, value) => {
    if (typeof value === 'boolean') return
    checkOptions(option, value, { uid: text }, ['uid'])
  },
  force: flag,
  replaceLists: flag,
  fieldManager,
  formerManagers: fieldManagers,
  fieldValidation: oneOf('Ignore', 'Warn', 'Strict'),
  onDelay: oneOf('reject', 'resolve'),
  whenImmutable: oneOf('fail', 'recreate', 'recreate-orphan'),
  only: oneOf('create'),
  once: onceCheck,
  signal: abortSignal,
  timeoutMs: milliseconds({ min: 1, infinite: true }),
}

/** The result of an apply. */
export interface Applied<T> {
  /**
   * - `unchanged`: the object is as desired, or exists and was only to be created. In most cases no request was sent.
   * - `created`, `updated`: the object was written.
   * - `delayed`: the write waits, because somebody undid it too often, or the object was written too often. The key runs again after `retryAfterMs`.
   *   Only with `onDelay: 'resolve'`.
   * - `refused`: the same, because the server refused the write: `refusal` says why.
   * - `deleting`: the object is being deleted. The key runs again when it is gone.
   */
  readonly outcome: 'unchanged' | 'created' | 'updated' | 'delayed' | 'refused' | 'deleting'
  /** The object as the server answered; `undefined` if no request was sent. */
  readonly object: T | undefined
  /** How long a delayed write waits, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Why the server refused the write when it was last sent; `undefined` if somebody undid it. */
  readonly refusal: unknown
}

/**
 * Makes an object as desired, by server-side apply with the controller's own field manager.
 *
 * **Flow.** `apply` fills in the primary object's namespace if `desired` names none, the labels that the view selects by, the primary object as the
 * controlling owner, and `data` from a Secret's `stringData`. It compares the result with the cached object, and sends it if they differ.
 *
 * **Guarantees.** The manager owns exactly the fields that `desired` names. Fields that others fill in or own stay. A field that `desired` no longer names
 * is given up. No request is sent if the object is already as desired. The key runs again when somebody changes one of these fields, and when the
 * object is deleted.
 *
 * **Caveats.** Repeated writes are delayed. A write that somebody undoes, or the server refuses, is sent three times at once, then after 1 s, doubling to
 * 60 s. Until then `apply` rejects with an `ApplyDelayedError`; its cause is the server's refusal. This error ends the run without counting as a failure,
 * and the key runs again when the write may be sent. `onError` gets one `FlappingError`, or an `ApplyRefusedError` with the server's words.
 *
 * **Errors.**
 * - `UsageError` (`SHARED_LIST`): a list that the server takes as one value would lose what others have put into it.
 * - `NotAbsentError`: this run has read the object as absent.
 * - `ImmutableFieldError`: a field can't be changed in place.
 * - `AlreadyOwnedError`: another object controls the object.
 * - `NotOursError`: the object exists, no object controls it, and this controller has not applied it.
 * - A conflict: the cache was behind. Rethrow it: the key runs again. Other errors are the server's.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import type { Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('copy').for(configMaps.within({ labels: 'example.com/copy' })).reconcile(async ({ key, object, apply }) => {
 *     const { outcome } = await apply(configMaps, { metadata: { name: `${key.name}-copy` }, data: object.data })
 *     console.log(outcome) // 'created', 'updated', or 'unchanged': no request
 *   })
 * }
 * ```
 */
export type Apply = <T extends KubernetesObject, S extends Scope>(
  view: View<T, S>,
  desired: FullObject<NoInfer<T>>,
  options?: DesiredOptions,
) => Promise<Applied<T>>
