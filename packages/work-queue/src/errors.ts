/** A key that is `undefined` or `null`: {@link WorkQueue.take} could not tell it from none. */
export class InvalidKeyError extends TypeError {
  override readonly name = 'InvalidKeyError'
  readonly code = 'INVALID_KEY'

  constructor() {
    super('a key of a work queue is neither undefined nor null')
  }
}

/** `done(key)` of a key that does not run: it was not handed out, or `done` was called for it before. */
export class NotRunningError extends Error {
  override readonly name = 'NotRunningError'
  readonly code = 'NOT_RUNNING'
  readonly key: unknown

  constructor(key: unknown) {
    super(`done() of a key that does not run: ${typeof key === 'object' ? 'an object' : String(key)}`)
    this.key = key
  }
}
