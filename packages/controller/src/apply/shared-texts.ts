/** Longer texts are not shared: they are an object's own, and go with it. In UTF-16 code units. */
const longest = 4096
/** The length of all shared texts together. Others choose the texts, so a number of texts would be no bound. */
const mostInAll = 1024 * 1024

/**
 * Gives one text for equal ones: most objects of a kind have equal owned fields. It keeps at most 2 MiB of texts. When that is full, it forgets all of them, and
 * some texts are then held twice.
 */
export class SharedTexts {
  readonly #known = new Map<string, string>()
  #length = 0

  share(text: string): string {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (text.length > longest) return text
    if (this.#length + text.length > mostInAll) {
      this.#known.clear()
      this.#length = 0
    }
    this.#known.set(text, text)
    this.#length += text.length
    return text
  }
}
