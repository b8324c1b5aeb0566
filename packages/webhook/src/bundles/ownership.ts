import type { Bundled, BundleHolder } from './holder.ts'
import { isTaken, type OwnFields, ownFields } from './own-fields.ts'

/** Options of {@link Ownership}. */
export interface OwnershipParts {
  readonly holder: BundleHolder
  /** Whether the operator applies its parts of the object. If not, a manifest has them. */
  readonly isApplied: boolean
  /** The field manager that applies the parts. */
  readonly manager: string
  readonly warn: (message: string) => void
}

/** Detects changes by other writers to the operator's parts of an object. */
export class Ownership {
  readonly #parts: OwnershipParts
  #isApplied: boolean
  /** The fields that the operator owned after its last apply. */
  #applied: OwnFields | undefined
  /** The last report of differences from the declaration. */
  #said = ''

  constructor(parts: OwnershipParts) {
    this.#parts = parts
    this.#isApplied = !parts.isApplied
  }

  /** Whether there is nothing left to apply. The operator never applies the parts of a manifest. */
  get isApplied(): boolean {
    return this.#isApplied
  }

  /** Records that the operator has applied its parts. @param live the state after the apply */
  noteApplied(live: Bundled): void {
    this.#isApplied = true
    this.#applied = ownFields(live, this.#parts.manager)
  }

  /** Records that the parts have to be applied again. */
  noteLost(): void {
    this.#isApplied = false
  }

  /**
   * Checks a state. Returns the change if another writer has changed or deleted the operator's own object, which then has to be applied again, and
   * otherwise `undefined`. Warns about the parts of a manifest that differ from the declaration.
   *
   * @param missing the names of the operator's parts that the object does not have
   */
  see(live: Bundled | undefined, wasThere: boolean, missing: readonly string[]): string | undefined {
    const { holder, isApplied, manager } = this.#parts
    const isLost = wasThere && live === undefined
    if (isApplied && holder.isOwn) {
      const own = live && ownFields(live, manager)
      const isChanged = live !== undefined && this.#applied !== undefined && isTaken(this.#applied, own)
      if (!isChanged && own !== undefined && this.#isApplied) this.#applied = own
      if (!this.#isApplied || !(isLost || isChanged)) return undefined
      this.#isApplied = false
      this.#applied = undefined
      return isLost ? 'was deleted, and is made again' : 'was changed, and is applied again'
    }
    const differs = live === undefined || isApplied ? [] : (holder.differs?.(live) ?? [])
    const lacks = isApplied || live === undefined ? [] : missing.map(name => `it has no ${name}`)
    const problems = isLost ? ['it was deleted'] : [...lacks, ...differs]
    const said = problems.join('; ')
    const isNews = said !== this.#said && (isLost || wasThere || differs.length > 0)
    this.#said = said
    if (isNews && said !== '') this.#parts.warn(`is not as the program declares it: ${said}: apply its manifest`)
    return undefined
  }
}
