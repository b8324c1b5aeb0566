import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { Version } from '../store/version.ts'
import type { Writer } from '../write/writer.ts'

/** Takes a finalizer from an object, as a controller of the control plane does. */
export function dropFinalizer(
  writer: Writer,
  type: ResourceType,
  version: Version,
  object: KubeObject,
  finalizer: string,
): void {
  const { finalizers: had = [], ...metadata } = object.metadata
  const finalizers = had.filter(name => name !== finalizer)
  const next = { ...object, metadata: finalizers.length > 0 ? { ...metadata, finalizers } : metadata }
  writer.update(type, { version, object }, next, 'all', { dryRun: false, viaPatch: true })
}
