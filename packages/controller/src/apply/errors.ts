import type { ApiError } from '@wherry/client'

/**
 * An object of that name exists, no object controls it, and this manager has not applied it. It may belong to somebody else. With `owner: false`
 * and `adopt: false`, another object may control it.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { NotOursError, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('settings').for(configMaps).reconcile(async ({ key, apply }) => {
 *     await apply(configMaps, { metadata: { name: `${key.name}-copy` } }).catch(error => {
 *       if (!(error instanceof NotOursError)) throw error
 *       console.log(`${error.key} belongs to ${error.managers.join(', ')}`)
 *     })
 *   })
 * }
 * ```
 */
export class NotOursError extends Error {
  override readonly name = 'NotOursError'
  readonly code = 'NOT_OURS'
  /** The view's key. */
  readonly view: string
  /** `namespace/name` */
  readonly key: string
  /** The field managers that wrote the object. */
  readonly managers: readonly string[]

  constructor(view: string, key: string, managers: readonly string[]) {
    const by = managers.length === 0 ? '' : ` (written by ${managers.join(', ')})`
    super(`${key} of ${view} exists already${by}: apply it with { adopt: true } to take it over`)
    this.view = view
    this.key = key
    this.managers = managers
  }
}

/**
 * An `apply` or a `status` has to wait, in most cases because it was sent again and again: the server refused it, somebody undid it, or its answer was
 * lost. The write of an object that is written too often waits too, and so does a write that the server refuses because the namespace is being deleted,
 * or because the primary object is gone. The cause is the last refusal, if there was one. A run that ends with this error is not a failure: the key
 * runs again when the write may be sent.
 */
export class ApplyDelayedError extends Error {
  override readonly name = 'ApplyDelayedError'
  readonly code = 'APPLY_DELAYED'
  /** The view's key. */
  readonly view: string
  /** `namespace/name` */
  readonly key: string
  /** How long the write waits, in milliseconds. */
  readonly retryAfterMs: number

  constructor(view: string, key: string, retryAfterMs: number, cause: unknown) {
    const why = cause instanceof Error ? `, since it was refused: ${cause.message}` : ''
    super(`the write of ${key} of ${view} waits for ${retryAfterMs} ms${why}`, cause ? { cause } : undefined)
    this.view = view
    this.key = key
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * This run has read an object as absent, and the object exists: it lies outside the view that was read, or it has just been created. Applying to it
 * would overwrite what the run has not seen. The run fails, and the key runs again and sees the object.
 */
export class NotAbsentError extends Error {
  override readonly name = 'NotAbsentError'
  readonly code = 'NOT_ABSENT'
  /** The view's key. */
  readonly view: string
  /** `namespace/name` */
  readonly key: string

  constructor(view: string, key: string) {
    super(
      `this run has read ${key} of ${view} as absent, but it exists: it lies outside the view that was read, for example by its labels, or it was just created`,
    )
    this.view = view
    this.key = key
  }
}

/** The desired state is valid, but a field of the existing object can't be changed. The cause is the server's answer. */
export class ImmutableFieldError extends Error {
  override readonly name = 'ImmutableFieldError'
  readonly code = 'IMMUTABLE_FIELD'
  /** The view's key. */
  readonly view: string
  /** `namespace/name` */
  readonly key: string
  /** The fields that the server named: `spec.selector`, `type`. */
  readonly fields: readonly string[]

  constructor(view: string, key: string, cause: ApiError) {
    const fields = [...new Set(cause.causes.flatMap(({ field }) => field || []))]
    const named = fields.length === 0 ? 'a field' : fields.join(', ')
    super(
      `${named} of ${key} of ${view} can't be changed in place: with { whenImmutable: 'recreate' } it is deleted with its dependents and created again, with 'recreate-orphan' its dependents stay`,
      { cause },
    )
    this.view = view
    this.key = key
    this.fields = fields
  }
}

/** Whether only delayed writes ended a run: one write, or several that were awaited together. */
export function isDelay(thrown: unknown, around: ReadonlySet<unknown> = new Set()): boolean {
  if (!(thrown instanceof AggregateError)) return thrown instanceof ApplyDelayedError
  // It may contain itself.
  if (around.has(thrown) || thrown.errors.length === 0) return false
  return thrown.errors.every(one => isDelay(one, new Set([...around, thrown])))
}

/**
 * An object is written again and again, because somebody undoes the write. Sent to `onError` once, until the object has been quiet for 10 minutes.
 */
export class FlappingError extends Error {
  override readonly name = 'FlappingError'
  readonly code = 'FLAPPING'
  /** The view's key. */
  readonly view: string
  /** `namespace/name` */
  readonly key: string
  /** How long the next write waits, in milliseconds. */
  readonly delayMs: number
  /** The other field managers that gave a desired field another value. Empty if somebody removes fields, or deletes the object. */
  readonly managers: readonly string[]
  /** The other keys of this controller that write it. */
  readonly keys: readonly string[]
  /** This controller's manager, if another process writes the fields under the same name. */
  readonly sameManager: string | undefined
  /** Whether the object is deleted again and again. */
  readonly isGone: boolean

  constructor(
    about: Pick<FlappingError, 'view' | 'key' | 'delayMs' | 'managers' | 'keys'> &
      Partial<Pick<FlappingError, 'sameManager' | 'isGone'>>,
  ) {
    const { view, key, delayMs, managers, keys, sameManager, isGone = false } = about
    const others = [
      ...managers.map(one => `the manager ${one}`),
      ...keys.map(one => `the key ${one} of this controller`),
      // Other keys of this controller write under the same manager, which explains the change.
      ...(sameManager !== undefined && keys.length === 0 ? [`another process as the manager ${sameManager}`] : []),
    ]
    const hint = keys.length === 0 ? '' : ': give keys that say different things of it a fieldManager each'
    const by = others.length > 0 ? `; changed by ${others.join(', ')}${hint}` : isGone ? '; somebody deletes it' : ''
    super(`${key} of ${view} is changed back again and again: writes wait, ${delayMs} ms now${by}`)
    this.view = view
    this.key = key
    this.delayMs = delayMs
    this.managers = managers
    this.keys = keys
    this.sameManager = sameManager
    this.isGone = isGone
  }
}

/**
 * The server refuses a write again and again. The cause is its last answer. Sent to `onError` once, until the object has been quiet for 10 minutes.
 */
export class ApplyRefusedError extends Error {
  override readonly name = 'ApplyRefusedError'
  readonly code = 'APPLY_REFUSED'
  /** The view's key. */
  readonly view: string
  /** `namespace/name` */
  readonly key: string
  /** How long the next write waits, in milliseconds. */
  readonly delayMs: number

  constructor({ view, key, delayMs }: Pick<ApplyRefusedError, 'view' | 'key' | 'delayMs'>, cause: unknown) {
    const said = cause instanceof Error ? cause.message : `${cause}`
    super(`${said} (the write of ${key} of ${view} is refused again and again: it waits, ${delayMs} ms now)`, { cause })
    this.view = view
    this.key = key
    this.delayMs = delayMs
  }
}

/** The definition of the primary objects has no status subresource. */
export class NoStatusError extends Error {
  override readonly name = 'NoStatusError'
  readonly code = 'NO_STATUS'
  /** `group/version/plural` */
  readonly resource: string

  constructor(resource: string, cause: unknown) {
    super(
      `${resource} has no status subresource: set spec.versions[].subresources.status to {} in its CustomResourceDefinition`,
      { cause },
    )
    this.resource = resource
  }
}

/**
 * The server treats the conditions of a status as one value, so controllers overwrite each other's conditions. Sent to `onError` once per
 * controller.
 */
export class AtomicConditionsError extends Error {
  override readonly name = 'AtomicConditionsError'
  readonly code = 'ATOMIC_CONDITIONS'
  /** `group/version/plural` */
  readonly resource: string

  constructor(resource: string) {
    super(
      `status.conditions of ${resource} is one value: set x-kubernetes-list-type: map and x-kubernetes-list-map-keys: [type] in its CustomResourceDefinition, or other managers replace it`,
    )
    this.resource = resource
  }
}
