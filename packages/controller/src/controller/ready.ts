import {
  type Client,
  type FromServer,
  isNotFound,
  type ObjectKey,
  type ObjectMeta,
  OptionTypeError,
  type View,
} from '@wherry/client'
import { callback, checkOptions, ignored, oneOf, resourceName, watched } from '@wherry/client/internal'
import type { Read, ReadKey } from '../reads/read.ts'
import { NotReadyError } from './errors.ts'

/** How a run waits for an object. */
export interface WaitOptions {
  /** Called before the run ends because it has to wait. `message` says what the run waits for, so that you can write it into the status. @default nothing */
  readonly waiting?: ((message: string) => unknown) | undefined
}

/** How {@link Gone} deletes an object. */
export interface GoneOptions extends WaitOptions {
  /**
   * How the server treats the dependents of the deleted object. `Background`: they are deleted after it. `Foreground`: they are deleted first. `Orphan`:
   * they stay. The server's own default for Jobs and ReplicationControllers is `Orphan`, so their Pods would go on.
   * @default 'Background'
   */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined
}

/** Whether an object is ready. A text says what the object still lacks. It must be synchronous: for a promise, `ready` rejects. */
export type IsReady<C> = (object: FromServer<C>) => boolean | string

/**
 * Returns an object that is ready. If the object does not exist, or is not ready, it ends the run. The run then counts as no failure, has no
 * backoff, and the key runs again when the object changes. So a reconcile is written as steps, one after the other.
 *
 * ```ts
 * const waiting = (message: string) =>
 *   status({ conditions: [{ type: 'Ready', status: 'False', reason: 'Waiting', message }] })
 * const secret = await ready(secrets, { name: 'db' }, ({ data }) => data?.password !== undefined, { waiting })
 * await apply(statefulSets, databaseOf(object, secret))
 * await ready(statefulSets, { name: 'db' }, ({ status }) => status?.readyReplicas === 3 || 'not all replicas are ready', { waiting })
 * await apply(jobs, migrationOf(object))
 * ```
 *
 * `explain` says what a key waits for. Rejects as `read.get` does.
 */
export type Ready = <C>(
  view: View<C>,
  key: ReadKey,
  isReady?: IsReady<C>,
  options?: WaitOptions,
) => Promise<FromServer<C>>

/**
 * Deletes an object and the objects that it owns. While the object exists, it ends the run as {@link Ready} does, and the key runs again when the object
 * is gone. For a `cleanup` that deletes objects in a given order. Returns at once if there is no such object. Rejects as `read.get` and `client.delete` do.
 */
export type Gone = (view: View<DeletableObject>, key: ReadKey, options?: GoneOptions) => Promise<void>

/** The part of an object that a {@link Gone} reads: views of whole objects and of metadata have it. */
export interface DeletableObject {
  readonly metadata?: Pick<ObjectMeta, 'uid' | 'namespace' | 'deletionTimestamp'> | undefined
}

const checks = { waiting: callback }

/** {@link Ready}, by the reads of a run. */
export async function ready<C>(
  read: Read,
  view: View<C>,
  key: ReadKey,
  isReady: IsReady<C> = () => true,
  options: WaitOptions = {},
): Promise<FromServer<C>> {
  callback('ready.isReady', isReady)
  checkOptions('ready', options, checks)
  const object = await read.get(view, key)
  if (object === undefined) return wait(view, key, 'it does not exist', options)
  const answer = isReady(object)
  // A promise is not awaited, and its error is not reported.
  if (watched(answer, ignored))
    throw new OptionTypeError('ready.isReady', 'a function that returns true, false or a text', 'a promise')
  if (answer === true) return object
  return wait(view, key, typeof answer === 'string' && answer !== '' ? answer : 'it is not ready', options)
}

/** {@link Gone}, by the reads and the client of a run. The run's signal ends the delete. */
export async function gone(
  { read, client, signal }: { readonly read: Read; readonly client: Client; readonly signal: AbortSignal },
  view: View<DeletableObject>,
  key: ReadKey,
  options: GoneOptions = {},
): Promise<void> {
  checkOptions('gone', options, { ...checks, propagationPolicy: oneOf('Background', 'Foreground', 'Orphan') })
  const object = await read.get(view, key)
  if (object === undefined) return
  const { uid, namespace, deletionTimestamp } = object.metadata
  if (deletionTimestamp === undefined) {
    const named = { name: nameOf(key), ...(namespace !== undefined && { namespace }) } as ObjectKey
    try {
      const { propagationPolicy = 'Background' } = options
      await client.delete(view, named, { preconditions: { uid }, propagationPolicy, signal })
    } catch (error) {
      // The object was deleted meanwhile. Its event makes the key run.
      if (!isNotFound(error)) throw error
    }
  }
  await wait(view, key, 'it is being deleted', options)
}

async function wait(view: Pick<View, 'resource'>, key: ReadKey, why: string, { waiting }: WaitOptions): Promise<never> {
  const error = new NotReadyError(resourceName(view.resource), nameOf(key), why)
  await waiting?.(error.message)
  throw error
}

function nameOf(key: ReadKey): string {
  return 'metadata' in key ? key.metadata.name : key.name
}
