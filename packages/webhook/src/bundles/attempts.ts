import { isConflict, isInvalid, isNotFound } from '@wherry/client'
import type { Bundled } from './holder.ts'

/** The number of refusals in a row after which the error is no longer taken for a coincidence. */
const manyRefusals = 3

/**
 * The outcome of a write: the state in its answer; `gone`, if the object does not exist; `changed`, if another writer has changed the object
 * meanwhile, and the watch will deliver that change; or `refused`, after which the write is tried again.
 */
export type Attempt = { readonly live: Bundled } | 'gone' | 'changed' | 'refused'

/** The writes to an object that has other writers too. */
export class Attempts {
  #refusals = 0

  /** Makes a write. Rejects with all other errors, and with the last of several refusals in a row. */
  async make(write: () => Promise<Bundled>): Promise<Attempt> {
    try {
      const live = await write()
      this.#refusals = 0
      return { live }
    } catch (error) {
      if (isNotFound(error)) return 'gone'
      if (isConflict(error)) return 'changed'
      // Another writer may remove the parts between two requests of one apply. The bundles alone are then no valid object.
      if (!isInvalid(error) || ++this.#refusals >= manyRefusals) throw error
      return 'refused'
    }
  }
}
