import type { Environment, View } from '@wherry/client'
import { NarrowView } from './narrow-view.ts'

/** The views of which objects are cached or followed, by their key. */
export class Views {
  readonly #views = new Map<string, NarrowView>()
  readonly #environment: Environment
  readonly #freeze: boolean | undefined

  constructor(environment: Environment, freeze: boolean | undefined) {
    this.#environment = environment
    this.#freeze = freeze
  }

  /** Those there are. */
  get all(): NarrowView[] {
    return [...this.#views.values()]
  }

  /** The one that has the key of `view`, whether it is the same or not. */
  find(view: View): NarrowView | undefined {
    return this.#views.get(view?.key)
  }

  /** The one that is `view`, made where there is none. @throws ViewConflictError */
  get(view: View): NarrowView {
    const found = this.find(view)
    if (found !== undefined) {
      found.mustBe(view)
      return found
    }
    for (const narrow of this.all) this.drop(narrow)
    const narrow = new NarrowView(view, this.#environment, this.#freeze)
    this.#views.set(view.key, narrow)
    return narrow
  }

  /** Lets go of one that nobody reads or follows any more. */
  drop(narrow: NarrowView): void {
    if (!narrow.isIdle) return
    narrow.close()
    this.#views.delete(narrow.view.key)
  }

  close(): void {
    for (const narrow of this.all) narrow.close()
    this.#views.clear()
  }
}
