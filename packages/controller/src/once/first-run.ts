import type { Clock } from '@wherry/client'
import type { Controller } from '../controller/controller.ts'
import { type RunRecord, RunRecords } from '../controller/run-records.ts'
import { NotSettledError } from '../operator/settled.ts'
import type { Dependency } from '../reads/dependency.ts'

/** The first run of a key, and the key's dependencies after it. */
export interface Ran {
  readonly record: RunRecord
  readonly read: readonly Dependency[]
}

/** Waits for the first run of a key. It takes the key's reads as soon as the run has ended, because a further run may change them. */
export class FirstRun extends RunRecords {
  readonly #key: string
  readonly #ended = Promise.withResolvers<Ran>()
  #explained: Controller<unknown> | undefined

  constructor(key: string) {
    super()
    this.#key = key
  }

  override get isRead(): boolean {
    return true
  }

  override report(record: RunRecord): void {
    if (record.key !== this.#key || this.#explained === undefined) return
    this.#ended.resolve({ record, read: this.#explained.explain(record.key).reads })
    this.#explained = undefined
  }

  /**
   * Starts the controller, and resolves with the first run. Rejects as the start does, and with a {@link NotSettledError} after `timeoutMs`.
   *
   * @param errors the errors in the background so far
   */
  async of(controller: Controller<unknown>, clock: Clock, timeoutMs: number, errors: readonly Error[]): Promise<Ran> {
    this.#explained = controller
    const { promise, reject } = this.#ended
    const timer = clock.timer(timeoutMs, () => {
      const lines = controller.explain(this.#key).toString().split('\n')
      reject(new NotSettledError(`within ${timeoutMs / 1000} s`, lines, errors.at(-1)))
    })
    controller.start().catch(reject)
    try {
      return await promise
    } finally {
      timer.cancel()
    }
  }
}
