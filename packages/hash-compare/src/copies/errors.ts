/** An object of the copy's name is there that is no copy of this source: it is left alone, and looked at again later. */
export class CopyNameTakenError extends Error {
  override readonly name = 'CopyNameTakenError'
  readonly code = 'COPY_NAME_TAKEN'
  /** `namespace/name` of the copy. */
  readonly key: string
  /** The source's key. */
  readonly source: string
  /** Whose copy it says it is; `undefined`: nobody's. */
  readonly owner: string | undefined

  constructor(key: string, source: string, owner: string | undefined) {
    super(
      `${key} is there and is no copy of ${source}${owner === undefined ? '' : `, but of ${owner}`}: it is left alone`,
    )
    this.key = key
    this.source = source
    this.owner = owner
  }
}

/** What `build`, `adapt` or `copyName` gave is not what a copy can be made of. */
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

/** The copy reconciler was closed, or is not started yet. */
export class CopiesNotRunningError extends Error {
  override readonly name = 'CopiesNotRunningError'
  readonly code = 'COPIES_NOT_RUNNING'

  constructor(name: string, state: string) {
    super(`the copy reconciler ${name} is ${state}`)
  }
}

/** The signal of a wait ended before the copies had synced or settled. The signal's reason is its cause. */
export class CopiesNotSettledError extends Error {
  override readonly name = 'CopiesNotSettledError'
  readonly code = 'COPIES_NOT_SETTLED'
  /** What is left to do, and what fails, a line each. The message has the first ten. */
  readonly pending: readonly string[]

  constructor(name: string, what: 'synced' | 'settled', pending: readonly string[], cause: unknown) {
    const lines = pending.slice(0, 10).map(line => `\n  ${line}`)
    const more = pending.length > 10 ? `\n  and ${pending.length - 10} more` : ''
    super(`the copy reconciler ${name} has not ${what} in time:${lines.join('')}${more}`, { cause })
    this.pending = pending
  }
}

/** A copy was written, and the server's answer has not the hashes that were: something takes them off, or goes on changing the copy. */
export class HashesNotKeptError extends Error {
  override readonly name = 'HashesNotKeptError'
  readonly code = 'HASHES_NOT_KEPT'
  /** `namespace/name` of the copy. */
  readonly key: string
  /** The source's key. */
  readonly source: string

  constructor(key: string, source: string) {
    super(`${key}, a copy of ${source}, does not keep the hashes that are written to it`)
    this.key = key
    this.source = source
  }
}
