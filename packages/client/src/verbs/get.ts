import { checkOptions } from '../errors/check.ts'
import { isObjectNotFound } from '../errors/guards.ts'
import { FieldSelector } from '../views/field-selector.ts'
import type { KubernetesObject, ObjectKey, Scope } from '../views/object.ts'
import { collectionPath, queryText } from '../views/path.ts'
import { acceptOf, isExact, isLean, projector } from '../views/read.ts'
import type { View } from '../views/resource.ts'
import type { Bound, Call, Caller } from './caller.ts'
import { type GetOptions, getChecks } from './options.ts'
import { itemsOf, objectOf } from './received.ts'
import { objectTarget, type Target } from './target.ts'

/** Reads one object of `view`; `undefined` if it does not exist, or is not in the view. */
export async function get<C, S extends Scope>(
  caller: Caller,
  view: View<C, S>,
  key: ObjectKey<S>,
  options: GetOptions = {},
): Promise<C | undefined> {
  checkOptions('get', options, getChecks)
  const target = objectTarget(view, key)
  const found = await caller.within(options, { method: 'GET', ...target }, bound =>
    view.fields.isOfKeys
      ? getOne(caller, view, target, options, bound)
      : selectOne(caller, view, key, target, options, bound),
  )
  const { labels, uid = '' } = (found as KubernetesObject | undefined)?.metadata ?? {}
  if (found === undefined || !view.fields.allows(key) || !view.labels.matches(labels)) return undefined
  if (view.shard?.has(uid) === false) return undefined
  return projector(view)(found)
}

/** Sends one GET; `undefined` if the object is not found. An unknown resource is an error. */
export async function getOne(
  caller: Caller,
  view: View,
  target: Target,
  options: GetOptions,
  bound: Bound,
): Promise<object | undefined> {
  const call: Call = {
    method: 'GET',
    ...target,
    query: queryText({ resourceVersion: options.resourceVersion }),
    accept: acceptOf(view, 'object'),
    exact: isExact(view),
    lean: isLean(view),
  }
  try {
    return objectOf(view, await caller.json(call, bound), call)
  } catch (error) {
    if (isObjectNotFound(error)) return undefined
    throw error
  }
}

/** The same by a list with selectors: for fields that only the server can check. */
async function selectOne(
  caller: Caller,
  view: View,
  key: ObjectKey,
  target: Target,
  options: GetOptions,
  bound: Bound,
): Promise<object | undefined> {
  const call: Call = {
    ...target,
    method: 'GET',
    path: collectionPath(view.resource, key.namespace),
    query: queryText({
      fieldSelector: view.fields.and(FieldSelector.of({ 'metadata.name': key.name })).text,
      labelSelector: view.labels.text,
      resourceVersion: options.resourceVersion,
    }),
    accept: acceptOf(view, 'list'),
    exact: isExact(view),
  }
  const answer = (await caller.json(call, bound)) as KubernetesObject
  const { apiVersion, kind } = answer
  const [item] = itemsOf(view, answer, call)
  return item && { kind: kind?.replace(/List$/, ''), apiVersion, ...item }
}
