import { ObjectIndex } from './object-index.ts'

/** The objects of one kind, with the number of the replay that last delivered each. */
export class ObjectsOfKind<C extends object> {
  readonly #entries = new Map<string, { object: C; replay: number }>()
  /** By path, made when first asked for. */
  readonly #indexes = new Map<string, ObjectIndex<C>>()
  #replay = 0
  #isReady = false

  /** Whether the last replay has ended, with all objects that there are. */
  get isReady(): boolean {
    return this.#isReady
  }

  get size(): number {
    return this.#entries.size
  }

  get all(): readonly C[] {
    return Array.from(this.#entries.values(), ({ object }) => object)
  }

  /** A replay begins: an object that it does not deliver has gone. */
  begin(): void {
    this.#replay++
    this.#isReady = false
  }

  /** A replay is over. @param failed keys of objects that are there, and could not be read */
  end(failed: readonly string[]): void {
    for (const [key, { replay }] of this.#entries) if (replay < this.#replay) this.delete(key)
    this.#isReady = failed.length === 0
  }

  /** Returns what was there before. */
  set(key: string, object: C): C | undefined {
    const before = this.#entries.get(key)?.object
    this.#entries.set(key, { object, replay: this.#replay })
    for (const index of this.#indexes.values()) index.replace(before, object)
    return before
  }

  /** Returns what was there. */
  delete(key: string): C | undefined {
    const before = this.#entries.get(key)?.object
    this.#entries.delete(key)
    for (const index of this.#indexes.values()) index.replace(before, undefined)
    return before
  }

  index(path: string): ObjectIndex<C> {
    let index = this.#indexes.get(path)
    if (index === undefined) {
      index = new ObjectIndex(path)
      for (const { object } of this.#entries.values()) index.replace(undefined, object)
      this.#indexes.set(path, index)
    }
    return index
  }
}
