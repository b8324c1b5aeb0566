import { checkOptions } from '../errors/check.ts'
import { isObjectNotFound } from '../errors/guards.ts'
import type { KubernetesObject, ObjectKey, Scope } from '../views/object.ts'
import { queryText } from '../views/path.ts'
import { acceptOf, isExact, projector, readAs } from '../views/read.ts'
import type { View } from '../views/resource.ts'
import { wasFinalized } from '../views/was-finalized.ts'
import type { Call, Caller } from './caller.ts'
import { get } from './get.ts'
import type { DeleteOptions, EvictOptions } from './options.ts'
import { deleteChecks } from './options.ts'
import { isSuccessStatus, objectOf } from './received.ts'
import { objectTarget } from './target.ts'

/** The result of a delete. */
export interface Deleted<C> {
  /** The uid of the deleted object. */
  readonly uid: string | undefined
  /**
   * The object, if the server's answer contains it. With a deletionTimestamp it may stay until
   * its finalizers are gone. `undefined` if the server answers only that it has deleted the object.
   */
  readonly object: C | undefined
}

/** Deletes one object; `undefined` if it did not exist. */
export async function remove<C, S extends Scope>(
  caller: Caller,
  view: View<C, S>,
  key: ObjectKey<S>,
  options: DeleteOptions = {},
): Promise<Deleted<C> | undefined> {
  checkOptions('delete', options, deleteChecks)
  const call: Call = {
    method: 'DELETE',
    ...objectTarget(view, key),
    accept: acceptOf(view, 'object'),
    exact: isExact(view),
    body: deleteBody(options),
  }
  const project = projector(view)
  const { listeners } = caller
  const gone = listeners.deleting(view, key, options)
  try {
    const answer: StatusOrObject = await listeners.unlessLost(view, call, options, () =>
      caller.within(options, call, bound => caller.json(call, bound)),
    )
    if (isSuccessStatus(answer)) {
      const uid = answer.details?.uid
      gone(uid ?? options.preconditions?.uid)
      return { uid, object: undefined }
    }
    const object: KubernetesObject = objectOf(view, answer, call)
    const uid = object.metadata?.uid
    if (wasFinalized(object)) gone(uid)
    else listeners.wrote(view, object, options)
    return { uid, object: project(object) }
  } catch (error) {
    if (!isObjectNotFound(error)) throw error
    gone(options.preconditions?.uid)
    return undefined
  }
}

/** Evicts a pod: a delete that disruption budgets may refuse for now, by a 429, which is not repeated here. */
export async function evict(
  caller: Caller,
  view: View<unknown, 'namespaced'>,
  key: ObjectKey<'namespaced'>,
  options: EvictOptions = {},
): Promise<void> {
  checkOptions('evict', options, deleteChecks)
  const { dryRun, ...rest } = options
  const call: Call = {
    method: 'POST',
    ...objectTarget(view, key, 'eviction'),
    query: queryText({ dryRun: dryRun === true ? 'All' : undefined, fieldManager: caller.fieldManager }),
    keep429: true,
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: key.name, namespace: key.namespace },
      deleteOptions: deleteBody(rest),
    },
  }
  const gone = caller.listeners.deleting(view, key, options)
  const send = (): Promise<void> =>
    caller.whole(options, call, async (inner, bound) => {
      await inner.answer(call, bound)
      // The answer does not contain the pod.
      await inner.listeners.askAfter(call, options, inner.environment, async () => {
        const there = await get(inner, readAs(view, 'metadata'), key)
        if (there === undefined) gone(options.preconditions?.uid)
        else inner.listeners.wrote(view, there as KubernetesObject)
      })
    })
  await caller.listeners.unlessLost(view, call, options, send)
}

/** The `DeleteOptions` of the API; `undefined` without options. */
export function deleteBody(options: DeleteOptions): object | undefined {
  const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options
  const body = {
    ...(preconditions !== undefined && { preconditions }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(dryRun === true && { dryRun: ['All'] }),
  }
  return Object.keys(body).length === 0 ? undefined : { apiVersion: 'v1', kind: 'DeleteOptions', ...body }
}

type StatusOrObject = KubernetesObject & { readonly details?: { readonly uid?: string } }
