import {
  type ApplyOptions,
  asKey,
  type Client,
  type Deleted,
  type DeleteOptions,
  type KeyOf,
  type KubernetesObject,
  type ObjectKey,
  OptionTypeError,
  type Patch,
  type PatchOptions,
  projector,
  type Scope,
  type Some,
  unprojected,
  type View,
  type Whole,
  type WriteOptions,
} from '@wherry/client'
import { having } from '@wherry/client/checks'

/** What hears of writes: a narrow cache is one. */
export interface WriteListener {
  wrote(view: View, answer: object): void
  deleted(view: View, key: ObjectKey, uid?: string | undefined): void
}

/** The writing calls of a client. */
export interface Writes {
  create<T extends object, S extends Scope>(
    view: View<T, S>,
    object: Whole<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<T>
  update<T extends object, S extends Scope>(
    view: View<T, S>,
    object: Whole<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<T>
  patch<C, S extends Scope>(view: View<C, S>, key: KeyOf<S>, change: Patch, options?: PatchOptions): Promise<C>
  apply<T extends object, S extends Scope>(
    view: View<T, S>,
    object: Whole<Some<NoInfer<T>>>,
    options?: ApplyOptions,
  ): Promise<T>
  delete<C, S extends Scope>(view: View<C, S>, key: KeyOf<S>, options?: DeleteOptions): Promise<Deleted<C> | undefined>
}

/**
 * The writing calls of `client`, of which `caches` hear: once a write was answered, a read of that object through any of
 * them is at least as new (rule N9). What else is written is told by `wrote` and `deleted` of a cache.
 */
export function writesThrough(client: Client, ...caches: readonly WriteListener[]): Writes {
  having('a Client', 'create', 'patch')('writesThrough.client', client)
  if (caches.length === 0) throw new OptionTypeError('writesThrough.caches', 'one cache at least', 'none')
  for (const cache of caches) having('a cache', 'wrote', 'deleted')('writesThrough.caches', cache)

  const told = <C>(view: View<C, never>, answer: object, options: WriteOptions = {}): C => {
    const plain = view as unknown as View<C>
    if (options.dryRun !== true) for (const cache of caches) cache.wrote(plain, answer)
    return projector(plain)(answer)
  }
  /** A projection may leave out what tells one version from another. */
  const whole = (view: unknown): View<object, never> => unprojected(view as View) as never
  return {
    create: async (view, object, options) =>
      told(view as never, await client.create(whole(view), object as never, options), options),
    update: async (view, object, options) =>
      told(view as never, await client.update(whole(view), object as never, options), options),
    patch: async (view, key, change, options) =>
      told(view as never, await client.patch(whole(view), key as never, change, options), options),
    apply: async (view, object, options) =>
      told(view as never, await client.apply(whole(view), object as never, options), options),
    delete: async (view, of, options) => {
      const key = asKey(of)
      const answer = await client.delete(whole(view), key as never, options)
      const plain = view as unknown as View
      if (options?.dryRun !== true) {
        // Where nothing was found, what was to be deleted is gone all the same.
        const uid = answer?.uid ?? options?.preconditions?.uid
        for (const cache of caches) {
          if (answer?.object === undefined) cache.deleted(plain, key, uid)
          else cache.wrote(plain, answer.object as KubernetesObject)
        }
      }
      if (answer === undefined) return undefined
      const { uid, object } = answer
      return { uid, object: object === undefined ? undefined : (projector(plain)(object) as never) }
    },
  }
}
