const whiteSpace = '[ \\t\\n\\r]*'
const firstKey = new RegExp(`^\\{${whiteSpace}"(?:[^"\\\\]|\\\\.)*"${whiteSpace}:`)
const longestGap = 256
const longestKey = 512
const missesBeforeDoubt = 16

/**
 * The text that most likely separates two items of a list, such as `},{"metadata":`, learned from the first two. It is only a guess of
 * where to cut: it can't occur in a string, because a string escapes its quotes, but it can separate elements of an array inside an item.
 */
export class Border {
  #text: Buffer | undefined
  #gap: string | undefined = ''
  #hits = 0
  #misses = 0

  /** The text to search for; `undefined` if there is no good guess. */
  get text(): Buffer | undefined {
    return this.#text
  }

  /** Bytes between two items. */
  get gapLength(): number {
    return this.#gap === undefined ? 0 : this.#gap.length
  }

  /** Adds bytes that lie between the first and the second item. */
  seeGap(bytes: Buffer, start: number, stop: number): void {
    if (this.#gap === undefined) return
    this.#gap =
      this.#gap.length + stop - start > longestGap ? undefined : this.#gap + bytes.toString('latin1', start, stop)
  }

  /** Takes the second item, to learn how items begin. */
  seeSecond(bytes: Buffer, start: number, stop: number): void {
    if (this.#gap === undefined) return
    const found = firstKey.exec(bytes.toString('latin1', start, Math.min(stop, start + longestKey)))
    if (found !== null) this.#text = Buffer.from(`}${this.#gap}${found[0]}`, 'latin1')
  }

  /** Records a right cut at the border. */
  hit(): void {
    this.#hits++
  }

  /** Records a wrong cut at the border. After sixteen of them, the border is no longer used if more than a fifth of all cuts are wrong. */
  miss(): void {
    this.#misses++
    if (this.#misses >= missesBeforeDoubt && this.#misses > this.#hits / 4) this.#text = undefined
  }
}
