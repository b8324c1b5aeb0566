import { callback } from '@wherry/client/internal'
import { type HashedObject, hashParts, type Parts } from '@wherry/hash-compare'
import { isHashedObject } from '@wherry/hash-compare/internal'
import { isSameValue } from '../objects/same-value.ts'
import type { ObjectEvent } from './event.ts'
import { atOnce, type Predicate } from './predicate.ts'

/** The part of an object that predicates read. Metadata views have it, and so have projections that keep it. */
export interface WithMetadata {
  readonly metadata?:
    | {
        readonly generation?: number | undefined
        readonly resourceVersion?: string | undefined
        readonly labels?: Readonly<Record<string, string>> | undefined
        readonly annotations?: Readonly<Record<string, string>> | undefined
      }
    | undefined
}

/**
 * Passes updates that changed the `generation`: for most resources those of the `spec`, and not those of the status, labels or annotations. Passes
 * adds and deletes, and updates in which only a new conversion has changed the object. ConfigMaps, Secrets and others have no generation, so their
 * updates do not pass.
 *
 * @example
 * ```ts
 * import { deployments } from '@wherry/client/resources/apps'
 * import { generationChanged, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(deployments).withPredicates(generationChanged).reconcile(({ key, log }) => log.info({}, `the spec of ${key.name} changed`))
 * }
 * ```
 */
export const generationChanged: Predicate<ObjectEvent<WithMetadata>> = updates(
  (now, then) => now.metadata?.generation !== then.metadata?.generation || isReread(now, then),
)

/**
 * Passes updates that changed the result of any of the functions, compared by value: `fieldsChanged(({ spec }) => spec.replicas, …)`. Passes adds and
 * deletes. If a function throws or returns a promise, the event passes, and `onError` gets an error.
 *
 * @example
 * ```ts
 * import { deployments } from '@wherry/client/resources/apps'
 * import { fieldsChanged, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(deployments).withPredicates(fieldsChanged(({ spec }) => spec?.replicas)).reconcile(({ key, log }) => log.info({}, `the number of replicas of ${key.name} changed`))
 * }
 * ```
 */
export function fieldsChanged<C>(...select: readonly ((object: C) => unknown)[]): Predicate<ObjectEvent<C>> {
  select.forEach((one, index) => {
    callback(`fieldsChanged[${index}]`, one)
  })
  return updates((now, then) => select.some(one => !isSameValue(atOnce(one(now)), atOnce(one(then)))))
}

/**
 * Passes updates that changed the `spec`, compared by value. Passes adds and deletes. It is for resources without generations;
 * {@link generationChanged} costs less for the others.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { specChanged, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(configMaps).withPredicates(specChanged).reconcile(({ key, log }) => log.info({}, `the spec of ${key.name} changed`))
 * }
 * ```
 */
export const specChanged: Predicate<ObjectEvent<object>> = fieldsChanged(
  (object: { readonly spec?: unknown }) => object.spec,
)

/**
 * Passes updates that changed the resourceVersion: all except resyncs. Passes adds and deletes.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { resourceVersionChanged, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(configMaps).withPredicates(resourceVersionChanged).reconcile(({ key, log }) => log.info({}, `something of ${key.name} changed`))
 * }
 * ```
 */
export const resourceVersionChanged: Predicate<ObjectEvent<WithMetadata>> = updates(
  (now, then) => now.metadata?.resourceVersion !== then.metadata?.resourceVersion || isReread(now, then),
)

/**
 * Passes updates that changed labels. Passes adds and deletes.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { labelsChanged, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(configMaps).withPredicates(labelsChanged).reconcile(({ key, log }) => log.info({}, `a label of ${key.name} changed`))
 * }
 * ```
 */
export const labelsChanged: Predicate<ObjectEvent<WithMetadata>> = updates(
  ({ metadata: now }, { metadata: then }) => !isSame(now?.labels, then?.labels),
)

/**
 * Passes updates that changed annotations. Passes adds and deletes.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { annotationsChanged, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(configMaps).withPredicates(annotationsChanged).reconcile(({ key, log }) => log.info({}, `an annotation of ${key.name} changed`))
 * }
 * ```
 */
export const annotationsChanged: Predicate<ObjectEvent<WithMetadata>> = updates(
  ({ metadata: now }, { metadata: then }) => !isSame(now?.annotations, then?.annotations),
)

/**
 * Passes updates that changed one of the parts, compared by hash. Passes adds and deletes. Without arguments it is for views with `hashAtIngest`:
 * their objects carry hashes. With parts it hashes both states of each changed object.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { hashChanged, type Operator } from '@wherry/controller'
 * import { hashAtIngest, parts, specPart } from '@wherry/hash-compare'
 *
 * const hashed = configMaps.project(...hashAtIngest(parts({ spec: specPart() })))
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(hashed).withPredicates(hashChanged()).reconcile(({ key, log }) => log.info({}, key.name))
 * }
 * ```
 */
export function hashChanged(): Predicate<ObjectEvent<HashedObject>>
export function hashChanged<T extends object>(parts: Parts<T>): Predicate<ObjectEvent<T>>
export function hashChanged(parts?: Parts<object>): Predicate<ObjectEvent<object>> {
  const hashes = (object: object): Readonly<Record<string, string | undefined>> => {
    if (parts !== undefined) return hashParts(object, parts)
    return isHashedObject(object) ? object.hashes : {}
  }
  return updates((now, then) => !isSame(hashes(now), hashes(then)))
}

/** Whether an object was read again at the same version, and differs: the server now converts it differently. */
function isReread(now: WithMetadata, then: WithMetadata): boolean {
  const { resourceVersion } = now.metadata ?? {}
  if (now === then || resourceVersion === undefined || resourceVersion !== then.metadata?.resourceVersion) return false
  return !isSameValue(now, then)
}

function updates<C>(isChanged: (now: C, then: C) => boolean): Predicate<ObjectEvent<C>> {
  return event => event.type !== 'update' || isChanged(event.object, event.old)
}

type Texts = Readonly<Record<string, string | undefined>>

function isSame(a: Texts = {}, b: Texts = {}): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every(name => Object.hasOwn(b, name) && a[name] === b[name])
}
