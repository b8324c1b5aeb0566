import { isConflict, isInvalid, isNotFound } from '@wherry/client'
import type { Bundled } from './holder.ts'

/** So many refusals in a row are no coincidence. */
const manyRefusals = 3

/**
 * What came of a write: the state that it was answered with; `gone`, if the object is not there; `changed`, if somebody changed it meanwhile, which the
 * watch says next; or `refused`, which is worth another try.
 */
export type Attempt = { readonly live: Bundled } | 'gone' | 'changed' | 'refused'

/** The writes to one object, which others write to as well. */
export class Attempts {
  #refusals = 0

  /** Rejects with errors that no retry mends. */
  async make(write: () => Promise<Bundled>): Promise<Attempt> {
    try {
      const live = await write()
      this.#refusals = 0
      return { live }
    } catch (error) {
      if (isNotFound(error)) return 'gone'
      if (isConflict(error)) return 'changed'
      // Somebody takes the parts away between two requests of one apply: then the bundles alone are no valid object.
      if (!isInvalid(error) || ++this.#refusals >= manyRefusals) throw error
      return 'refused'
    }
  }
}
