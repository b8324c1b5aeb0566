/** Values by their texts, each with a number, and how many use it. With the last use it is gone, and its number is another's. */
export abstract class Counted<T> {
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = []
  readonly #values: (T | undefined)[] = []
  readonly #uses: number[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#numbers.size
  }

  numberOf(text: string): number | undefined {
    return this.#numbers.get(text)
  }

  /** One that is not there yet, without a use. */
  add(text: string, value: T): number {
    const number = this.#free.pop() ?? this.#values.length
    this.#numbers.set(text, number)
    this.#texts[number] = text
    this.#values[number] = value
    this.#uses[number] = 0
    return number
  }

  /** @throws Error for a number that nothing has: it was read from what was let go of. */
  at(number: number): T {
    const value = this.#values[number]
    if (value === undefined) throw new Error(`nothing packed has the number ${number}`)
    return value
  }

  /** One use more. */
  count(number: number): void {
    this.#uses[number] = (this.#uses[number] as number) + 1
  }

  release(number: number): void {
    const uses = (this.#uses[number] as number) - 1
    this.#uses[number] = uses
    if (uses > 0) return
    this.#numbers.delete(this.#texts[number] as string)
    this.#texts[number] = ''
    this.#values[number] = undefined
    this.#free.push(number)
  }

  clear(): void {
    this.#numbers.clear()
    for (const list of [this.#texts, this.#values, this.#uses, this.#free]) list.length = 0
  }
}
