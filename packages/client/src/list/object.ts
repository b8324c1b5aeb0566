import type { ReadTarget } from './target.ts'

/** The fields that are read of a received object. */
export interface ReceivedObject {
  readonly kind?: unknown
  readonly apiVersion?: unknown
  readonly metadata?:
    | {
        readonly name?: unknown
        readonly namespace?: unknown
        readonly uid?: unknown
        readonly resourceVersion?: unknown
        readonly annotations?: unknown
      }
    | null
    | undefined
}

/**
 * A received value is no object of the resource. An item of a list or a line of a watch was skipped, and reading
 * went on (rule R20). For a read or a write of one object, it was the whole answer.
 */
export class InvalidObjectError extends Error {
  override readonly name = 'InvalidObjectError'
  readonly code = 'INVALID_OBJECT'
  /** `group/version/plural`. */
  readonly resource: string

  constructor(resource: string, why: string) {
    super(`${resource}: ${why}`)
    this.resource = resource
  }
}

/**
 * The reason why a received value is no object of `target`, as the end of a sentence; `undefined` if it is one. Only the name
 * is required; other fields may be missing.
 */
export function whyStray(object: ReceivedObject, target: ReadTarget): string | undefined {
  if (!isOfType(object, target)) return 'is of another kind'
  const { metadata } = object
  const name = metadata?.name
  if (typeof name !== 'string' || name === '') return 'has no name'
  if (target.name !== undefined && name !== target.name) return 'has another name'
  const namespace = metadata?.namespace
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string')
    return 'has a namespace that is no text'
  if (namespace !== undefined && target.namespace !== undefined && namespace !== target.namespace) {
    return 'is of another namespace'
  }
  const version = metadata?.resourceVersion
  const isVersion = version === undefined || (typeof version === 'string' && version !== '')
  return isVersion ? undefined : 'has a resourceVersion that is no text'
}

/** Whether an object of `target` is of another shard: a server without sharded lists and watches sends the objects of all shards. */
export function isOfOtherShard({ metadata }: ReceivedObject, { shard }: ReadTarget): boolean {
  return shard !== undefined && !shard.has(String(metadata?.uid))
}

/** Whether an object has the type of a target. An aggregated API that does not know the metadata form answers with whole objects. */
export function isOfType({ kind, apiVersion }: ReceivedObject, { type, metadata }: ReadTarget): boolean {
  if (metadata && kind === 'PartialObjectMetadata') return true
  return (kind === undefined || kind === type.kind) && (apiVersion === undefined || apiVersion === type.apiVersion)
}
