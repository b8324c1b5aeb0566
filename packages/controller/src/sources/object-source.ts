import type { View } from '@wherry/client'
import type { CachedInformer } from '@wherry/dynamic-cache'
import type { Handler, SharedInformer } from '@wherry/informer'
import { isTurn } from '../objects/life.ts'
import { traceParentOf } from '../objects/traceparent.ts'
import { versionOf } from '../objects/version.ts'
import { changesBetween, differsOutsideStatus } from '../predicates/changes.ts'
import type { ObjectEvent } from '../predicates/event.ts'
import type { Predicate } from '../predicates/predicate.ts'
import { informerOf, untilReported } from '../reads/informer-of.ts'
import { resourceKey } from '../reads/own-writes.ts'
import type { Cause, CauseChange } from './cause.ts'
import {
  attempt,
  type ControllerSource,
  type ControllerSourceHandler,
  type ControllerSourceTarget,
  passes,
  type Reporting,
  reportingOf,
} from './controller-source.ts'

/** The parts of an {@link objectSource}. */
export interface ObjectSourceParts<C, O = C> {
  readonly kind: 'for' | 'owns' | 'watches' | 'caches'
  readonly view: View
  /** The view that is watched for `view`. @default `view` */
  watched?(target: Pick<ControllerSourceTarget, 'applied'>, view: View): View<C>
  /** The predicates, read at each event, because a builder may add some. @default none */
  readonly predicates?: readonly Predicate<ObjectEvent<O>>[]
  /** Returns the value for the predicates. @default the object */
  valueIn?(object: C): O
  /** The keys that an object makes run. May throw. `environment` receives other errors. @default none */
  keysOf?(object: C, key: string, target: ControllerSourceTarget, environment: Reporting): readonly string[]
  /** Whether an event makes all keys run, in place of `keysOf`. @default false */
  readonly meansAll?: boolean | undefined
  /** Receives the events in place of `keysOf` and the predicates, and enqueues keys itself. @default none */
  handler?(target: ControllerSourceTarget, informer: SharedInformer<C>): ControllerSourceHandler<C>
}

/**
 * A view of objects that make keys run (rule C4). Its handler gets the old and the new object at once: if they make different
 * keys run, both keys run.
 */
export function objectSource<C, O = C>(parts: ObjectSourceParts<C, O>): ControllerSource {
  const { kind, view, predicates = [], valueIn = (object: C) => object as unknown as O } = parts
  const name = `${kind} ${view.key}`
  const isOwned = kind === 'owns'
  return {
    name,
    view,
    isOwned,
    get keepsValues() {
      return isOwned && predicates.length > 0
    },
    handlesUnowned: isOwned && parts.handler !== undefined,
    of: other => objectSource({ ...parts, view: other }),
    connect: target => {
      const watched = parts.watched?.(target, view) ?? (view as View<C>)
      const environment = reportingOf(watched, target.environment)
      // The controller holds the informer, so it exists.
      const informer = informerOf(target.cache, watched) as CachedInformer<C>
      const passing = (event: ObjectEvent<C>): boolean => {
        if (predicates.length === 0) return true
        const { object, old } = event
        // The run that removes a finalizer has no other cause than this update.
        if (event.type === 'update' && isTurn(old, object)) return true
        const seen = { ...event, object: valueIn(object), ...(old !== undefined && { old: valueIn(old) }) }
        return passes(predicates, seen as ObjectEvent<O>, environment, name)
      }
      const keysOf = (object: C, key: string): readonly string[] => {
        const about = { phase: name, resource: view.key, key }
        return attempt(() => parts.keysOf?.(object, key, target, environment) ?? [], [], environment, about)
      }
      const report = (change: CauseChange, key: string, old: C | undefined, now: C | undefined): void => {
        const versions = { from: versionOf(old), to: versionOf(now) }
        const isNamed = target.namesChanges && !isOwned && old !== undefined && now !== undefined
        const changes = isNamed ? changesBetween(old, now) : undefined
        const cause: Cause = {
          source: kind,
          change,
          view: view.key,
          object: key,
          ...versions,
          ...(changes && { changes }),
          ...(target.isTraced && !isOwned && { trace: traceParentOf(now ?? old) }),
        }
        const enqueue = (byOwn?: string, isStatus = false): void => {
          // After a gap in the watch, one event may contain changes of others, too.
          const by = kind === 'for' && isStatus && differsOutsideStatus(old, now) ? undefined : byOwn
          if (parts.meansAll === true) return target.enqueueAll(cause, change === 'initial')
          const keys = [old, now].flatMap(object => (object === undefined ? [] : keysOf(object, key)))
          for (const one of keys.length > 1 ? new Set(keys) : keys) {
            if (one !== by) target.enqueue(one, cause, change === 'initial')
          }
        }
        // The first state of a primary object makes its key run, even if this controller wrote it.
        const mayBeOwn = isOwned || (kind === 'for' && old !== undefined)
        if (mayBeOwn && now !== undefined) target.unlessOwn(view, key, now, enqueue)
        else enqueue()
      }
      const handler: Handler<C> = {
        add: (object, { key, isInInitialList }) => {
          if (!passing({ type: 'add', key, object, isInInitialList })) return
          report(isInInitialList ? 'initial' : 'added', key, undefined, object)
        },
        update: (object, { old, key }) => {
          if (passing({ type: 'update', key, object, old })) report('updated', key, old, object)
        },
        delete: (object, { key, finalStateUnknown }) => {
          if (kind === 'for') target.gone(key, object)
          else if (!passing({ type: 'delete', key, object, finalStateUnknown })) return
          report('deleted', key, object, undefined)
        },
      }
      const given = parts.handler?.(target, informer)
      const registration = informer.addHandler(given ?? handler)
      return {
        synced: signal => untilReported(informer as CachedInformer<unknown>, registration, signal),
        get lastError() {
          return informer.lastError
        },
        lost: ({ resource }, key) => {
          if (resourceKey(resource) === resourceKey(view.resource)) given?.lost?.(key)
        },
        close: async () => registration.remove(),
      }
    },
  }
}
