/** The key is `undefined` or `null`, which {@link WorkQueue.take} could not distinguish from no key. */
export class InvalidKeyError extends TypeError {
  override readonly name = 'InvalidKeyError'
  readonly code = 'INVALID_KEY'

  constructor() {
    super('a key of a work queue is neither undefined nor null')
  }
}

/**
 * `done(key)` was called for a key that does not run: it was not taken, or `done` was already called.
 *
 * @example
 * ```ts
 * import { NotRunningError, WorkQueue } from '@wherry/work-queue'
 *
 * const queue = new WorkQueue()
 * queue.add('arcade/chess')
 * try {
 *   queue.done('arcade/chess') // take() has not handed it out
 * } catch (error) {
 *   console.log(error instanceof NotRunningError) // true
 * }
 * ```
 */
export class NotRunningError extends Error {
  override readonly name = 'NotRunningError'
  readonly code = 'NOT_RUNNING'
  readonly key: unknown

  constructor(key: unknown) {
    super(`done() of a key that does not run: ${typeof key === 'object' ? 'an object' : String(key)}`)
    this.key = key
  }
}
