import type { KubernetesObject, Scope, View } from '@wherry/client'
import type { FullObject } from '@wherry/client/internal'
import {
  abortSignal,
  anything,
  type Check,
  checkOptions,
  flag,
  milliseconds,
  oneOf,
  text,
  texts,
} from '@wherry/client/internal'
import type { OwnerOptions } from '../objects/owner.ts'

/** How an object is applied. */
export interface DesiredOptions {
  /**
   * Whether the primary object owns it, and how. Without an owner the object stays when the primary is gone. An object in another
   * namespace, or in none, can't be owned by a namespaced one. The primary itself is never its own owner.
   * @default true
   */
  readonly owner?: boolean | OwnerOptions | undefined
  /**
   * Takes over an object that exists already and that nobody controls. Without it, `apply` rejects with a `NotOursError`.
   * With `{ uid }` it takes over only that object: the one that you looked at, and not one that somebody has put in its place since.
   * @default false; true with `owner: false`, since such objects are shared on purpose
   */
  readonly adopt?: boolean | { readonly uid: string } | undefined
  /** Takes over fields that other managers own. With `false` they are a conflict, which names them. @default true */
  readonly force?: boolean | undefined
  /** The field manager. @default OPERATOR/CONTROLLER */
  readonly fieldManager?: string | undefined
  /**
   * Field managers of earlier versions of this operator, whether they wrote by update or by apply. What they wrote is this manager's
   * from its first apply to an object on. What the operator's own client wrote to an object of the primary's counts as such, if that
   * client has a `fieldManager` of its own, as that of `Operator.connect` has.
   * @default none
   */
  readonly formerManagers?: readonly string[] | undefined
  /** What unknown and duplicate fields are: an error, a warning, or nothing. @default the server's ('Warn') */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined
  /**
   * What a write does that has to wait: `reject` rejects with an `ApplyDelayedError`, which ends the run unless you catch it;
   * `resolve` resolves with the outcome `delayed`, so that the reconcile goes on. The key runs again when the time has come, either way.
   * @default 'reject'
   */
  readonly onDelay?: 'reject' | 'resolve' | undefined
  /**
   * What is done if the desired state is valid, and a field of the object that is there can't be changed: the type of a Secret, the
   * selector of a Deployment, the template of a Job. `fail` rejects with an `ImmutableFieldError` that names the field; `recreate` deletes
   * the object, by its uid and with what it owns, and makes it anew. Only an object that the primary object controls is ever deleted.
   * @default 'fail'
   */
  readonly whenImmutable?: 'fail' | 'recreate' | undefined
  /** Ends it, beside the run's own signal. */
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
  fieldManager: text,
  formerManagers: texts,
  fieldValidation: oneOf('Ignore', 'Warn', 'Strict'),
  onDelay: oneOf('reject', 'resolve'),
  whenImmutable: oneOf('fail', 'recreate'),
  signal: abortSignal,
  timeoutMs: milliseconds({ min: 1, infinite: true }),
}

/** What came of an apply. */
export interface Applied<T> {
  /**
   * - `unchanged`: the object is as desired. In most cases no request was sent.
   * - `created`, `updated`: it was written.
   * - `delayed`: it was written too often lately, since somebody undoes it. It is to be written when `retryAfterMs` have passed, and
   *   the key runs again then. Only with `onDelay: 'resolve'`.
   * - `refused`: the same, since the server refused it: `refusal` says why.
   * - `deleting`: it is being deleted. The key runs again when it has gone.
   */
  readonly outcome: 'unchanged' | 'created' | 'updated' | 'delayed' | 'refused' | 'deleting'
  /** The object as the server answered; `undefined` where nothing was sent. */
  readonly object: T | undefined
  /** How long a delayed write waits, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Why the server refused the write, the last time that it was sent; `undefined` if somebody undid it. */
  readonly refusal: unknown
}

/**
 * Makes an object as desired, by server-side apply with the controller's own field manager. It owns exactly what `desired` names: what others
 * fill in or own stays as it is, and a field that is no longer named is given up. No request is sent where all is as desired already.
 *
 * Filled in: the primary's namespace where `desired` names none, the labels that the view selects by, the primary as its controlling owner,
 * and for a Secret `data` from `stringData`.
 *
 * The key runs again when somebody changes what is applied, and when the object goes. What is written again and again, because somebody undoes
 * it or the server refuses it, is written ever later: three times at once, then after 1 s, doubling to 60 s. Until then this rejects with an
 * `ApplyDelayedError`, whose cause is what the server said. It ends the run, which is no failure, and the key runs again when the time has come.
 * `onError` gets it once, as a `FlappingError`.
 *
 * Rejects with a `NotAbsentError` if this run has read the object as absent, with an `ImmutableFieldError` if a field can't be changed in place.
 * Rejects with an `AlreadyOwnedError` if another object controls it, a `NotOursError` if it is there and nobody's, a conflict where the cache
 * was behind (throw it on: the key runs again), and with what the server says.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export type Apply = <T extends KubernetesObject, S extends Scope>(
  view: View<T, S>,
  desired: FullObject<NoInfer<T>>,
  options?: DesiredOptions,
) => Promise<Applied<T>>
