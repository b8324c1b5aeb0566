/**
 * An object with the copy's name exists, and this program did not create it; or two sources want the same copy's name. The object is left alone.
 * The copy is tried again within a minute after the managers of the object change or the object is deleted.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { CopyNameTakenError } from '@wherry/copies'
 *
 * const onError = (error: Error): void => {
 *   if (error instanceof CopyNameTakenError) console.error(`${error.key} is not a copy of ${error.source}`)
 * }
 * export const client = await Client.connect({ environment: { onError } })
 * ```
 */
export class CopyNameTakenError extends Error {
  override readonly name = 'CopyNameTakenError'
  readonly code = 'COPY_NAME_TAKEN'
  /** `namespace/name` of the copy. */
  readonly key: string
  /** The source's key. */
  readonly source: string

  constructor(key: string, source: string, taken: string, cause?: unknown) {
    super(
      `${key} can't be a copy of ${source}: ${taken}. It is left alone`,
      cause === undefined ? undefined : { cause },
    )
    this.key = key
    this.source = source
  }
}

/** The result of `build`, `status`, `adapt` or `copyName` is not valid. */
export class InvalidCopyError extends TypeError {
  override readonly name = 'InvalidCopyError'
  readonly code = 'INVALID_COPY'
  /** The source's key. */
  readonly source: string

  constructor(source: string, problem: string) {
    super(`the copy of ${source} ${problem}`)
    this.source = source
  }
}

/** Several copies in a namespace failed. The other copies of the namespace are not affected. */
export class CopiesFailedError extends AggregateError {
  override readonly name = 'CopiesFailedError'
  readonly code = 'COPIES_FAILED'

  constructor(namespace: string, errors: readonly Error[]) {
    const lines = errors.slice(0, 10).map(({ message }) => `\n  ${message}`)
    const more = errors.length > 10 ? `\n  and ${errors.length - 10} more` : ''
    super(errors, `${errors.length} copies in ${namespace} failed:${lines.join('')}${more}`)
  }
}
