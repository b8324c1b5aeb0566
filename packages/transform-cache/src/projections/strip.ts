import type { SelfNamed } from '@wherry/client'
import { selfNamed } from '@wherry/client/internal'
import { omitted } from './build.ts'
import { treeOf } from './path.ts'

/** A projection that returns objects of the same type with fewer fields. */
export interface Stripping extends SelfNamed {
  <T extends object>(object: T): T
}

/**
 * Leaves out `metadata.managedFields`, as a view without a projection does. For use in {@link compose}.
 *
 * @example
 * ```ts
 * import { pods } from '@wherry/client/resources/core'
 * import { compose, pick, stripManagedFields } from '@wherry/transform-cache'
 *
 * const phases = pods.project(compose(stripManagedFields, pick('status.phase')))
 * ```
 */
export const stripManagedFields: Stripping = stripping('stripManagedFields', [['metadata', 'managedFields']])

/**
 * Leaves out `metadata.managedFields` and the annotation in which `kubectl apply` keeps its last input, which is often as large as the object. The
 * types forbid writing the result back, because an update would delete the annotation.
 *
 * @example
 * ```ts
 * import { deployments } from '@wherry/client/resources/apps'
 * import { stripLastApplied } from '@wherry/transform-cache'
 *
 * const light = deployments.project(stripLastApplied)
 * ```
 */
export const stripLastApplied: Stripping = stripping('stripLastApplied', [
  ['metadata', 'managedFields'],
  ['metadata', 'annotations', 'kubectl.kubernetes.io/last-applied-configuration'],
])

function stripping(name: string, paths: readonly (readonly string[])[]): Stripping {
  const tree = treeOf(name, paths)
  return selfNamed(name, (object: object) => omitted(object, tree)) as Stripping
}
