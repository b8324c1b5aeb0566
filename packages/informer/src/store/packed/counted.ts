import type { Sightings } from './sightings.ts'

/**
 * Values by their texts, each with a number, and how many use it. With the last use it is gone, and its number is another's. A value
 * comes in when its text is seen again, while there are not too many.
 */
export abstract class Counted<T> {
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = []
  readonly #values: (T | undefined)[] = []
  readonly #uses: number[] = []
  readonly #free: number[] = []
  readonly #sightings: Sightings
  readonly #most: number

  constructor(sightings: Sightings, most: number) {
    this.#sightings = sightings
    this.#most = most
  }

  get size(): number {
    return this.#numbers.size
  }

  /** The number of a value, which has one use more; `undefined` where it has none. */
  protected count(text: string, value: T): number | undefined {
    const known = this.#numbers.get(text)
    if (known === undefined) return this.#add(text, value)
    this.#uses[known] = (this.#uses[known] as number) + 1
    return known
  }

  #add(text: string, value: T): number | undefined {
    if (this.size >= this.#most || !this.#sightings.again(text)) return undefined
    const number = this.#free.pop() ?? this.#values.length
    this.#numbers.set(text, number)
    this.#texts[number] = text
    this.#values[number] = value
    this.#uses[number] = 1
    return number
  }

  /** @throws Error for a number that nothing has: it was read from what was let go of. */
  at(number: number): T {
    const value = this.#values[number]
    if (value === undefined) throw new Error(`nothing packed has the number ${number}`)
    return value
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
