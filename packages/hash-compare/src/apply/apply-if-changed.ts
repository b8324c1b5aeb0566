import {
  type Client,
  type FullObject,
  isAlreadyExists,
  type KubernetesObject,
  OptionTypeError,
  type Scope,
  type View,
} from '@wherry/client'
import {
  abortSignal,
  callback,
  checkOptions,
  fieldManager,
  flag,
  having,
  integer,
  milliseconds,
  oneOf,
} from '@wherry/client/internal'
import type { HashedObject } from '../ingest/hashed-object.ts'
import type { Parts } from '../parts/parts.ts'
import { Application } from './application.ts'
import type { Applied, ApplyIfChangedOptions } from './applied.ts'
import { existingObject } from './existing.ts'

/**
 * Makes an object as desired, and sends no request if it is as desired already (rule H10): compares the observed object, from a cache, by the hashes
 * of its parts.
 *
 * - `observed` is `undefined`: the object is created, and its status is written if the create left the status out. If the object exists, but the cache
 *   does not show it, the object is read and treated as observed. It must be the caller's own: it has the controller that the desired object
 *   names, or neither has a controller, and this field manager has written it. Another program's object stays unchanged, and the error is `isAlreadyExists`.
 *   (With `mode: 'apply'` an existing object is changed, because that mode has no request that only creates.)
 * - A part of the object differs: one update or apply. A part of the status differs: one write of the status.
 * - Equal: no request.
 *
 * A part that the desired object does not have is not compared: without a `status`, the status is ignored.
 *
 * Writes carry the observed uid and resourceVersion (rule H10). If the object was replaced or changed meanwhile, the server refuses the write: the
 * error is thrown, and `isWriteConflict` recognises it. Then observe again. This function does not retry (only the client does), and overwrites
 * no changes. Other errors are thrown too; the first of two writes may be done by then.
 *
 * `observed` is the whole object, or the result of `hashAtIngest` for it, with the same parts. With the latter, an `update` reads the object before it
 * replaces it, to keep others' finalizers and annotations; an `apply` does not need to.
 *
 * @param view the resource to write to: a view of whole objects
 * @throws NotJsonError, InexactIntegerError for a desired or observed object that can't be hashed, before any request
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { applyIfChanged, parts, specPart } from '@wherry/hash-compare'
 *
 * const content = parts({ spec: specPart() })
 * const desired = { metadata: { name: 'settings', namespace: 'arcade' }, data: { colour: 'blue' } }
 * const client = await Client.connect()
 * const observed = await client.get(configMaps, desired.metadata) // an operator reads it from a cache
 * const { reason, writes } = await applyIfChanged(client, configMaps, desired, observed, content)
 * console.log(reason, writes) // missing [ 'create' ], and equal [] from the second time on
 * ```
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
  const application = () => new Application({ client, view, desired, parts, options, onWrite: options.onWrite })
  try {
    return await application().run(observed)
  } catch (error) {
    if (observed !== undefined || !isAlreadyExists(error)) throw error
    const { signal, timeoutMs, fieldManager } = options
    const existing = await existingObject({ client, view, desired, signal, timeoutMs, fieldManager })
    if (existing === undefined) throw error
    return application().run(existing)
  }
}

const checkParts = having('parts({ … })', 'record')

const checks = {
  signal: abortSignal,
  timeoutMs: milliseconds({ min: 1, infinite: true }),
  mode: oneOf('update', 'apply'),
  force: flag,
  fieldManager,
  fieldValidation: oneOf('Ignore', 'Warn', 'Strict'),
  maxPaths: integer(1, 1000),
  onWrite: callback,
}
