import { checkOptions } from '../errors/check.ts'
import { checkWritten } from '../errors/object-check.ts'
import { OptionTypeError } from '../errors/option.ts'
import type { KubernetesObject, ObjectKey, Scope } from '../views/object.ts'
import { apiVersionOf, queryText } from '../views/path.ts'
import { acceptOf, isExact, projector } from '../views/read.ts'
import type { View } from '../views/resource.ts'
import type { Bound, Call, Caller } from './caller.ts'
import type { ApplyOptions, PatchOptions, WriteOptions } from './options.ts'
import { applyChecks, patchChecks, writeChecks } from './options.ts'
import { objectOf } from './received.ts'
import { keyOf, objectTarget } from './target.ts'

/** A step of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string }

/** The operations of a JSON patch, or an object to merge: fields that it leaves out stay, `null` deletes a field. */
export type Patch = object | readonly JsonPatchOperation[]

/** The target of a write: the object itself, or a subresource. */
export type Subresource = 'status' | undefined

/** How the body of a patch is sent. */
export const mediaTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // The body is JSON, which is valid YAML. No other media type of apply is known to all servers.
  apply: 'application/apply-patch+yaml',
} as const

/** Replaces an object by PUT. */
export async function update<C>(
  caller: Caller,
  view: View<C>,
  object: object,
  options: WriteOptions = {},
  subresource?: Subresource,
): Promise<C> {
  checkOptions('update', options, writeChecks)
  const call = writeCall(caller, view, keyOf(view, checkObject(object)), options, subresource)
  return send(caller, view, options, { ...call, method: 'PUT', body: typed(view, object) })
}

export async function patch<C, S extends Scope>(
  caller: Caller,
  view: View<C, S>,
  key: ObjectKey<S>,
  change: Patch,
  options: PatchOptions = {},
  subresource?: Subresource,
): Promise<C> {
  checkOptions('patch', options, patchChecks)
  const type = patchType(change, options.type)
  const call = writeCall(caller, view, key, options, subresource)
  return send(caller, view, options, { ...call, method: 'PATCH', body: change, contentType: mediaTypes[type] })
}

/** The type of a patch: the given one, else by its form. @throws OptionTypeError if the change does not have the form of that type */
export function patchType(change: Patch, given: PatchOptions['type']): NonNullable<PatchOptions['type']> {
  if (change === null || typeof change !== 'object') {
    throw new OptionTypeError('patch', 'an object to merge, or a list of JSON patch operations', `${change}`)
  }
  const { metadata } = change as { readonly metadata?: unknown }
  if (metadata === null) throw new OptionTypeError('patch.metadata', 'an object', 'null')
  const type = given ?? (Array.isArray(change) ? 'json' : 'merge')
  if (Array.isArray(change) !== (type === 'json')) {
    throw new OptionTypeError(
      'patch',
      type === 'json' ? 'a list of operations for json' : `an object for ${type}`,
      'the other',
    )
  }
  return type
}

export async function apply<C>(
  caller: Caller,
  view: View<C>,
  object: object,
  options: ApplyOptions = {},
  subresource?: Subresource,
): Promise<C> {
  checkOptions('apply', options, applyChecks)
  const call = writeCall(caller, view, keyOf(view, checkObject(object)), options, subresource)
  return send(caller, view, options, {
    ...call,
    method: 'PATCH',
    body: typed(view, object),
    contentType: mediaTypes.apply,
  })
}

/** The query of a write: the options for the server, besides the object. */
export function writeQuery(caller: Caller, options: ApplyOptions): string {
  return queryText({
    dryRun: options.dryRun === true ? 'All' : undefined,
    fieldManager: options.fieldManager ?? caller.fieldManager,
    fieldValidation: options.fieldValidation,
    force: options.force === true ? true : undefined,
  })
}

/** Adds the apiVersion and the kind of the endpoint to an object without them, because custom resources must have both. */
export function typed(view: View, object: object): object {
  const { apiVersion, kind } = object as KubernetesObject
  if (apiVersion !== undefined && kind !== undefined) return object
  const { resource } = view
  return { ...object, apiVersion: apiVersion ?? apiVersionOf(resource), kind: kind ?? resource.kind }
}

/** @throws OptionTypeError for a value that is no object, or has impossible metadata or conditions. */
export function checkObject(object: unknown): KubernetesObject {
  checkWritten('object', object)
  return object as KubernetesObject
}

/** Sends a write, and resolves with the object in the answer. */
export async function answered(caller: Caller, view: View, call: Call, bound: Bound): Promise<object> {
  const answer = await caller.json({ ...call, accept: acceptOf(view, 'object'), exact: isExact(view) }, bound)
  // The server keeps no Binding, and answers its creation with a Status.
  const isBound = view.resource.kind === 'Binding' && (answer as KubernetesObject).kind === 'Status'
  return objectOf(view, isBound ? (call.body as object) : answer, call)
}

function writeCall<S extends Scope>(
  caller: Caller,
  view: View<unknown, S>,
  key: ObjectKey<S>,
  options: ApplyOptions,
  subresource: Subresource,
): Omit<Call, 'method'> {
  return { ...objectTarget(view, key, subresource), query: writeQuery(caller, options) }
}

function send<C>(caller: Caller, view: View<C>, options: WriteOptions, call: Call): Promise<C> {
  return written(caller, view, options, call, bound => answered(caller, view, call, bound))
}

/** Runs a write within its time, reports it to the caller's listeners, and returns the view's projection of the object. */
export async function written<C>(
  caller: Caller,
  view: View<C>,
  options: WriteOptions,
  call: Call,
  write: (bound: Bound) => Promise<object>,
): Promise<C> {
  const project = projector(view)
  const object = await caller.listeners.during(view, call, options, () => caller.within(options, call, write))
  return project(object)
}
