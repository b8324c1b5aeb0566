/** The least that must be readable of an object that is received. */
export interface ReceivedObject {
  readonly kind?: unknown
  readonly apiVersion?: unknown
  readonly metadata?:
    | {
        readonly name?: unknown
        readonly namespace?: unknown
        readonly resourceVersion?: unknown
        readonly annotations?: unknown
      }
    | null
    | undefined
}

/**
 * What was received is no object of the resource. An item of a list or a line of a watch was skipped, and the rest
 * read on (rule R20); where it is the answer to a read or a write of one object, nothing else came.
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

/** Whether an object has a name: without one it is none. */
export function isNamed(object: ReceivedObject): boolean {
  const name = object.metadata?.name
  return typeof name === 'string' && name !== ''
}
