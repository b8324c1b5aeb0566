/**
 * An object of the copy's name is there, and this program did not make it; or two sources want the copy's name. It is left alone, and
 * looked at again when it changes hands or goes, after a minute at most.
 */
export class CopyNameTakenError extends Error {
  override readonly name = 'CopyNameTakenError'
  readonly code = 'COPY_NAME_TAKEN'
  /** `namespace/name` of the copy. */
  readonly key: string
  /** The source's key. */
  readonly source: string

  constructor(key: string, source: string, taken: string, cause?: unknown) {
    super(`${key} can be no copy of ${source}: ${taken}. It is left alone`, cause === undefined ? undefined : { cause })
    this.key = key
    this.source = source
  }
}

/** What `build`, `adapt`, `copyName` or `targets` gave is not what a copy can be made of. */
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

/** More than one copy of a namespace could not be made as it should be. The others of the namespace were. */
export class CopiesFailedError extends AggregateError {
  override readonly name = 'CopiesFailedError'
  readonly code = 'COPIES_FAILED'

  constructor(namespace: string, errors: readonly Error[]) {
    const lines = errors.slice(0, 10).map(({ message }) => `\n  ${message}`)
    const more = errors.length > 10 ? `\n  and ${errors.length - 10} more` : ''
    super(errors, `${errors.length} copies in ${namespace} failed:${lines.join('')}${more}`)
  }
}
