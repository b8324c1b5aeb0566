import { type Client, type KubernetesObject, OptionTypeError, type Scope, type View } from '@wherry/client'
import {
  abortSignal,
  callback,
  checkOptions,
  type FullObject,
  flag,
  having,
  integer,
  milliseconds,
  oneOf,
  text,
} from '@wherry/client/internal'
import type { HashedObject } from '../ingest/hashed-object.ts'
import type { Parts } from '../parts/parts.ts'
import { Application } from './application.ts'
import type { Applied, ApplyIfChangedOptions } from './applied.ts'

/**
 * Makes one object as desired, with no request at all where it is (rule H10): the observed one, from a cache, is compared by
 * the hashes of its parts.
 *
 * - `undefined` observed: it is created, and its status written if the create left that out. One that is there after all is
 *   `isAlreadyExists` (with `mode: 'apply'` it is applied to: a server can't be told to create only).
 * - A part of the object differs: one update or apply. A part of the status differs: one write of the status.
 * - Equal: nothing.
 *
 * A part that the desired object does not have is not compared: without a `status` it has no opinion on it.
 *
 * Writes carry the observed uid and resourceVersion (rule H10): if it is another object by now, or has changed, they are
 * refused, which is thrown and `isWriteConflict` tells; then observe again. Nothing is retried here (but what the client
 * waits out), and nothing is overwritten. Whatever else fails is thrown too, with the first of two writes done.
 *
 * `observed` is the whole object, or what `hashAtIngest` keeps of it, of the same parts. With the latter an `update` reads the
 * object before it replaces it, since others' finalizers and annotations are not at hand; `apply` need not.
 *
 * @param view the resource that is written to: a view of whole objects.
 * @throws NotJsonError, InexactIntegerError for a desired or observed object that can't be hashed: before any request.
 */
export async function applyIfChanged<T extends KubernetesObject, S extends Scope, N extends string>(
  client: Client,
  view: View<T, S>,
  desired: FullObject<NoInfer<T>>,
  observed: NoInfer<T> | HashedObject<N> | undefined,
  parts: Parts<T, N>,
  options: ApplyIfChangedOptions = {},
): Promise<Applied<T, N>> {
  checkParts('parts', parts)
  checkOptions('applyIfChanged', options, checks)
  if (options.force !== undefined && options.mode !== 'apply') {
    throw new OptionTypeError('applyIfChanged.force', "nothing without mode: 'apply'", `${options.force}`)
  }
  return new Application({ client, view, desired, parts, options, onWrite: options.onWrite }).run(observed)
}

const checkParts = having('parts({ … })', 'record')

const checks = {
  signal: abortSignal,
  timeoutMs: milliseconds({ min: 1, infinite: true }),
  mode: oneOf('update', 'apply'),
  force: flag,
  fieldManager: text,
  fieldValidation: oneOf('Ignore', 'Warn', 'Strict'),
  maxPaths: integer(1, 1000),
  onWrite: callback,
}
