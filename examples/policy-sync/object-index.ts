/** Objects by what they have at a path such as `spec.rules.host`; lists on the way are looked through. */
export class ObjectIndex<C extends object> {
  readonly #path: readonly string[]
  readonly #byValue = new Map<unknown, Set<C>>()

  constructor(path: string) {
    this.#path = path.split('.')
  }

  get(value: unknown): readonly C[] {
    return [...(this.#byValue.get(value) ?? [])]
  }

  /** Takes one state of an object out, and another in. */
  replace(before: C | undefined, after: C | undefined): void {
    if (before !== undefined) {
      for (const value of this.#valuesOf(before)) {
        const objects = this.#byValue.get(value)
        objects?.delete(before)
        if (objects?.size === 0) this.#byValue.delete(value)
      }
    }
    if (after === undefined) return
    for (const value of this.#valuesOf(after)) {
      const objects = this.#byValue.get(value)
      if (objects === undefined) this.#byValue.set(value, new Set([after]))
      else objects.add(after)
    }
  }

  #valuesOf(object: C): unknown[] {
    let values: unknown[] = [object]
    for (const name of this.#path) {
      values = values.flat().map(value => {
        const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        return isObject ? (value as Record<string, unknown>)[name] : undefined
      })
    }
    return values.flat().filter(value => value !== undefined)
  }
}
