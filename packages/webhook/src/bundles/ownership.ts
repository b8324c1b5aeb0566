import type { Bundled, BundleHolder } from './holder.ts'
import { isTaken, type OwnFields, ownFields } from './own-fields.ts'

/** Options of {@link Ownership}. */
export interface OwnershipParts {
  readonly holder: BundleHolder
  /** Whether the operator applies its parts of the object. If not, they are a manifest's. */
  readonly isApplied: boolean
  /** The field manager that applies them. */
  readonly manager: string
  readonly warn: (message: string) => void
}

/** Whether the operator's parts of one object are as they were applied, by the operator or by a manifest. */
export class Ownership {
  readonly #parts: OwnershipParts
  #isApplied: boolean
  /** What the operator has applied, as the server had it then. */
  #applied: OwnFields | undefined
  /** The differences from the declaration, as they were reported last. */
  #said = ''

  constructor(parts: OwnershipParts) {
    this.#parts = parts
    this.#isApplied = !parts.isApplied
  }

  /** Whether nothing is left to apply. A manifest's parts are never applied. */
  get isApplied(): boolean {
    return this.#isApplied
  }

  /** Notes that the operator has applied its parts, and what the server had afterwards. */
  noteApplied(live: Bundled): void {
    this.#isApplied = true
    this.#applied = ownFields(live, this.#parts.manager)
  }

  /** Notes that the parts are to be applied again. */
  noteLost(): void {
    this.#isApplied = false
  }

  /**
   * Takes a state. Returns what somebody did to an object of the operator's own, which is then to be applied again; `undefined` if nothing. Says what
   * of a manifest is not as it is declared.
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
