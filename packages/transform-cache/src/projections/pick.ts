import type { KubernetesObject, SelfNamed } from '@wherry/client'
import { selfNamed } from '@wherry/client/internal'
import { picker } from './build.ts'
import type { UnknownPath } from './known-path.ts'
import { type Path, textOf, treeOf } from './path.ts'

/** The result of {@link pick}: the paths that `T` has, and the object's identity. */
export type Picked<T, P extends Path> = Intersection<
  // Each type is the parameter of a function: a path of the identity that `T` does not have is `unknown`, and a union with `unknown` is `unknown`.
  P | IdentityPath extends infer Each ? (Each extends Path ? (one: PickedPath<T, Each>) => void : never) : never
>

/** A projection made by {@link pick}. A path that the objects' type does not have does not compile. */
export interface PickProjection<P extends Path> extends SelfNamed {
  <T extends object>(object: T & KnownPaths<UnknownPath<T, P>>): Picked<T, P>
}

/** Accepts any object if there is no unknown path; otherwise no object fits, and the compiler's message names the paths. */
type KnownPaths<Unknown> = [Unknown] extends [never] ? unknown : { readonly 'there is no such path': Unknown }

/**
 * Keeps these paths and the object's identity: `apiVersion`, `kind`, and of the metadata `name`, `namespace`, `uid` and `resourceVersion`. Missing
 * values are left out. A path through a list picks from each of its items.
 *
 * Keep `metadata.labels` if you select lists by labels. The kept values are those of the object, not copies: a small part of a large object keeps
 * nothing else of the object in memory.
 *
 * A path that the type of the resource's objects does not have does not compile. A resource without a type takes any path.
 *
 * @throws OptionRangeError for no path, or an empty one
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { pods } from '@wherry/client/resources/core'
 * import { pick, TransformCache } from '@wherry/transform-cache'
 *
 * const placed = pods.project(pick('spec.nodeName', 'status.phase', 'metadata.labels'))
 * const cache = new TransformCache({ client: await Client.connect(), views: [placed] })
 * cache.start()
 * const pod = await cache.get(placed, { name: 'chess', namespace: 'arcade' })
 * console.log(pod?.spec?.nodeName, pod?.status?.phase)
 * ```
 */
export function pick<const P extends readonly [Path, ...Path[]]>(...paths: P): PickProjection<P[number]> {
  const name = `pick:${textOf('pick', paths)}`
  const take = picker(treeOf('pick', [...identity, ...paths]))
  return selfNamed(name, (object: object) => take(object)) as PickProjection<P[number]>
}

/** The paths that `pick` always keeps, and that `omit` never leaves out. */
export const identity: readonly IdentityPath[] = [
  'apiVersion',
  'kind',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.resourceVersion',
]

type IdentityPath =
  | 'apiVersion'
  | 'kind'
  | 'metadata.name'
  | 'metadata.namespace'
  | 'metadata.uid'
  | 'metadata.resourceVersion'

type PickedPath<T, P extends Path> = P extends `${infer Key}.${infer Rest}`
  ? Step<T, Key, Rest>
  : P extends readonly [infer Key extends string, ...infer Rest extends readonly string[]]
    ? Rest extends readonly []
      ? Leaf<T, Key>
      : Step<T, Key, Rest>
    : P extends string
      ? Leaf<T, P>
      : unknown

type Step<T, Key extends string, Rest extends Path> = Key extends keyof T
  ? { [K in keyof Subset<T, Key>]: Below<Subset<T, Key>[K], Rest> }
  : unknown

type Leaf<T, Key extends string> = Key extends keyof T ? Subset<T, Key> : unknown

/** TypeScript's own `Pick`, which keeps optional keys optional. A key that only an index signature allows is optional too. */
type Subset<T, Key extends keyof T> = [keyof Named<T, Key>] extends [never]
  ? { [K in Key]?: T[K] | undefined }
  : Named<T, Key>

type Named<T, Key> = { [K in keyof T as K extends Key ? K : never]: T[K] }

type Below<V, Rest extends Path> = V extends readonly (infer Item)[]
  ? Below<Item, Rest>[]
  : V extends object
    ? Rest extends FirstOf<keyof V>
      ? PickedPath<V, Rest>
      : Lacking<V, Rest>
    : V

/** The paths that begin with one of these keys. */
type FirstOf<K> = K extends string | number ? `${K}` | `${K}.${string}` | readonly [`${K}`, ...string[]] : never

/** The result for a member of a union that does not have the path, but another member does: nothing of it is kept. An untyped member may have any path. */
type Lacking<V, Rest extends Path> = keyof V extends keyof KubernetesObject
  ? unknown
  : Rest extends `${infer Key}.${string}` | readonly [infer Key extends string, ...string[]]
    ? { [K in Key]?: undefined }
    : { [K in Rest & string]?: undefined }

/** The intersection of the parameters of these functions. */
type Intersection<F> = [F] extends [(all: infer I) => void] ? I : never
