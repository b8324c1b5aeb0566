import { OptionRangeError, type SelfNamed } from '@wherry/client'
import { selfNamed } from '@wherry/client/internal'
import { omitted } from './build.ts'
import { type Path, textOf, treeOf } from './path.ts'
import { identity } from './pick.ts'

/** The result of {@link omit}. The type leaves out only whole branches; fields below them are optional anyway. */
export type Omitted<T, P extends Path> = {
  [K in keyof T as K extends P ? never : readonly [K] extends P ? never : K]: T[K]
}

/** A projection made by {@link omit}. */
export interface OmitProjection<P extends Path> extends SelfNamed {
  <T extends object>(object: T): Omitted<T, P>
}

/**
 * Leaves out these paths, and `metadata.managedFields`. A path through a list is left out of each item.
 *
 * @throws OptionRangeError for no path, an empty path, or a path of the object's identity
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { pods } from '@wherry/client/resources/core'
 * import { omit, TransformCache } from '@wherry/transform-cache'
 *
 * const light = pods.project(omit('status', 'spec.containers.env'))
 * const cache = new TransformCache({ client: await Client.connect(), views: [light] })
 * cache.start()
 * const pod = await cache.get(light, { name: 'chess', namespace: 'arcade' })
 * console.log(pod?.spec?.nodeName)
 * ```
 */
export function omit<const P extends readonly [Path, ...Path[]]>(...paths: P): OmitProjection<P[number]> {
  const text = textOf('omit', paths)
  for (const path of ['metadata', ...identity]) {
    if (text.split(',').includes(path)) {
      throw new OptionRangeError('omit', 'no field that identifies the object', path)
    }
  }
  const tree = treeOf('omit', [...paths, 'metadata.managedFields'])
  return selfNamed(`omit:${text}`, (object: object) => omitted(object, tree)) as OmitProjection<P[number]>
}
