/** Prints the progress: on a terminal in one line that is written again and again, else a line each. */
export class Progress {
  readonly #out: NodeJS.WriteStream
  readonly #begun = performance.now()
  #isOpen = false

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
  }

  say(line: string): void {
    const seconds = ((performance.now() - this.#begun) / 1000).toFixed(0).padStart(3)
    const text = `${seconds} s  ${line}`
    if (!this.#out.isTTY) {
      this.#out.write(`${text}\n`)
      return
    }
    this.#out.write(`\r\u001b[K${text.slice(0, Math.max(20, this.#out.columns - 1))}`)
    this.#isOpen = true
  }

  /** Ends the line that is being written. */
  end(): void {
    if (this.#isOpen) this.#out.write('\r\u001b[K')
    this.#isOpen = false
  }
}
