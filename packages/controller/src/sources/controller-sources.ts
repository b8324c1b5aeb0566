import type { FromServer, ObjectKey, OwnerReference, Scope, View } from '@wherry/client'
import { callback, having, parsedKey, viewCheck } from '@wherry/client/internal'
import type { Handler, SharedInformer } from '@wherry/informer'
import type { AppliedObject } from '../apply/applied-object.ts'
import type { ObjectEvent } from '../predicates/event.ts'
import type { Predicate } from '../predicates/predicate.ts'
import { informerOf } from '../reads/informer-of.ts'
import { listOf } from '../reads/options.ts'
import { plainCause } from './cause.ts'
import {
  attempt,
  type ControllerSource,
  type ControllerSourceHandler,
  type ControllerSourceTarget,
  passes,
  watchedFor,
} from './controller-source.ts'
import { type Keys, keyTexts } from './key.ts'
import { type ObjectSourceParts, objectSource } from './object-source.ts'
import type { Source } from './source.ts'
import type { Tick } from './timer.ts'

/**
 * Makes a primary object run when an object that it controls is created, changed or deleted: the owner reference with `controller: true` names the
 * primary object. If the owner changes, both owners run. The view's projection is kept only for `predicates`.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps, secrets } from '@wherry/client/resources/core'
 * import { owns, Operator } from '@wherry/controller'
 *
 * const operator = new Operator({ name: 'settings-operator', client: await Client.connect() })
 * const sources = [owns(secrets)]
 * operator.add({ name: 'settings', for: configMaps, sources, reconcile: ({ key, log }) => log.info({}, key.name) })
 * await operator.run()
 * ```
 */
export function owns<O>(view: View<O>, predicates: readonly Predicate<ObjectEvent<O>>[] = []): ControllerSource {
  viewCheck('owns', view)
  const plain = view as unknown as View
  return objectSource<AppliedObject, O>({
    ...{ kind: 'owns', view: plain, predicates: checked('owns', predicates) },
    valueIn: ({ values }) => values?.[view.projection.name] as O,
    watched: ({ applied }, of) => applied.view(of),
    keysOf: ({ controller }, key, target) => ownersOf(controller, key, target),
  })
}

/**
 * Makes the primary objects run that `map` returns for an object that is created, changed or deleted; `'all'`: all of them. `map` is synchronous.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps, secrets } from '@wherry/client/resources/core'
 * import { watches, Operator } from '@wherry/controller'
 *
 * const operator = new Operator({ name: 'settings-operator', client: await Client.connect() })
 * const sources = [watches(secrets, ({ metadata }) => ({ metadata }))]
 * operator.add({ name: 'settings', for: configMaps, sources, reconcile: ({ key, log }) => log.info({}, key.name) })
 * await operator.run()
 * ```
 */
export function watches<O, S extends Scope>(
  view: View<O>,
  map: 'all' | ((object: FromServer<O>) => Keys<S>),
  predicates: readonly Predicate<ObjectEvent<O>>[] = [],
): ControllerSource {
  viewCheck('watches', view)
  const plain = view as unknown as View
  if (map === 'all')
    return objectSource({ kind: 'watches', view: plain, predicates: checked('watches', predicates), meansAll: true })
  callback('watches.map', map)
  const keysOf: NonNullable<ObjectSourceParts<O>['keysOf']> = (object, _key, { primary }, environment) =>
    keyTexts('watches.map', primary, watchedFor(map(object as FromServer<O>), environment, 'watches.map'))
  return objectSource({ kind: 'watches', view: plain, predicates: checked('watches', predicates), keysOf })
}

/**
 * Calls a handler for the objects of a view. The handler decides which keys run, and enqueues them. For packages that are built on a controller
 * and track their own work. A handler must not throw.
 */
export function handles<O>(
  view: View<O>,
  handlerOf: (target: ControllerSourceTarget, informer: SharedInformer<O>) => Handler<O>,
): ControllerSource {
  viewCheck('handles', view)
  callback('handles.handlerOf', handlerOf)
  const plain = view as unknown as View
  return objectSource<O>({ kind: 'watches', view: plain, handler: handlerOf })
}

/**
 * As {@link handles}, for objects that the controller applies without an owner, `{ owner: false }`. The cache keeps the part of each object that `apply`
 * compares, and passes that to the handler. `apply` does not track these objects, because the handler receives every change.
 */
export function handlesApplied(
  view: View,
  handlerOf: (
    target: ControllerSourceTarget,
    informer: SharedInformer<AppliedObject>,
  ) => ControllerSourceHandler<AppliedObject>,
): ControllerSource {
  viewCheck('handlesApplied', view)
  callback('handlesApplied.handlerOf', handlerOf)
  return objectSource<AppliedObject>({
    ...{ kind: 'owns', view, handler: handlerOf },
    watched: ({ applied }, of) => applied.view(of),
  })
}

/**
 * Makes the primary objects run that `map` returns for an event of a source. Without a map, a timer runs all, and a channel the key that was sent.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { from, Operator, Timer } from '@wherry/controller'
 *
 * const operator = new Operator({ name: 'settings-operator', client: await Client.connect() })
 * const sources = [from(new Timer({ everyMs: 60_000 }))]
 * operator.add({ name: 'settings', for: configMaps, sources, reconcile: ({ key, log }) => log.info({}, key.name) })
 * await operator.run()
 * ```
 */
export function from<S extends Scope>(source: Source<Keys<S> | Tick>): ControllerSource
export function from<V, S extends Scope>(
  source: Source<V>,
  map: (event: V) => Keys<S>,
  predicates?: readonly Predicate<V>[],
): ControllerSource
export function from<V>(
  source: Source<V>,
  map?: (event: V) => Keys,
  given?: readonly Predicate<V>[],
): ControllerSource {
  having('a source with connect(target)', 'connect')('from', source)
  if (map === undefined && source.defaultKeys === undefined) callback('from.map', map)
  if (map !== undefined) callback('from.map', map)
  const predicates = checked('from', given ?? [])
  const { name } = source
  return {
    name,
    view: undefined,
    get cached() {
      return source.cached
    },
    connect: target => {
      const { controller, manager, cache, environment, primary } = target
      const cause = plainCause(name, 'told')
      const keysOf = (event: V): readonly string[] => {
        if (map !== undefined) return keyTexts(`${name}.map`, primary, watchedFor(map(event), environment, name))
        const all = (): readonly ObjectKey[] => Array.from(target.all(), key => parsedKey(primary, key))
        return keyTexts(name, primary, watchedFor(source.defaultKeys?.(event, all), environment, name))
      }
      const enqueue = (keysOf: () => readonly string[], isInitial: boolean): void => {
        for (const key of attempt(keysOf, [], environment, { phase: name })) target.enqueue(key, cause, isInitial)
      }
      const report = (event: V, isInitial = false): void => {
        if (!passes(predicates, event, environment, name)) return
        enqueue(() => keysOf(event), isInitial || source.isBackground === true)
      }
      const missed = (): void => enqueue(() => [...target.all()], true)
      const isAbsent = async (view: View): Promise<boolean> => informerOf(cache, view)?.isAbsent === true
      const connection = source.connect({ controller, manager, environment, isAbsent, tell: report, missed })
      having(
        'a connection with synced and close',
        'synced',
        'close',
      )(`${name}.connect`, watchedFor(connection, environment, name))
      return connection
    },
  }
}

/** The primary objects' own view. */
export function primary<C>(view: View<C>, predicates: readonly Predicate<ObjectEvent<C>>[]): ControllerSource {
  const keysOf = (_object: C, key: string): readonly string[] => [key]
  return objectSource({ kind: 'for', view: view as unknown as View, predicates: checked('for', predicates), keysOf })
}

/** The objects that a shard is to release: their keys run, to give them up. */
export function released(view: View): ControllerSource {
  return objectSource({ kind: 'watches', view, keysOf: (_object, key) => [key] })
}

/** A view that is cached, and makes nothing run. */
export function cached(view: View): ControllerSource {
  return objectSource({ kind: 'caches', view })
}

/**
 * The key of the primary object that an owner reference names. A reference that can't name a primary object, such as a forged
 * one, is dropped and counted. @param key of the owned object
 */
function ownersOf(owner: OwnerReference | undefined, key: string, target: ControllerSourceTarget): readonly string[] {
  const { group, kind, namespaced } = target.primary
  if (owner === undefined || owner.kind !== kind) return []
  const { apiVersion } = owner
  if (apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/'))) !== group) return []
  const slash = key.indexOf('/')
  if (namespaced && slash === -1) return []
  const named = namespaced ? `${key.slice(0, slash)}/${owner.name}` : owner.name
  if (target.accepts(named)) return [named]
  target.environment.metrics.count('wherry_owner_references_dropped_total', { controller: target.controller })
  return []
}

function checked<E>(of: string, predicates: readonly Predicate<E>[]): readonly Predicate<E>[] {
  listOf('predicates', callback)(`${of}.predicates`, predicates)
  return predicates
}
