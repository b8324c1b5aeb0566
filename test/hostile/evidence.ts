import { inspect } from 'node:util'

/** Looks for what was planted in all that a user may come to see. */
export class Evidence {
  readonly #markers = new Map<string, string>()
  readonly found: Set<string> = new Set()

  /** `text` must be seen nowhere. */
  plant(what: string, text: string): void {
    this.#markers.set(text, what)
    const encoded = Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -2)
    this.#markers.set(encoded, `${what}, in base64`)
  }

  look(where: string, ...shown: readonly unknown[]): void {
    for (const one of shown) {
      const text = typeof one === 'string' ? one : revealed(one)
      for (const [marker, what] of this.#markers) {
        const at = text.indexOf(marker)
        if (at >= 0) this.found.add(`${what} in ${where}: …${text.slice(Math.max(0, at - 300), at + 40)}…`)
      }
    }
  }
}

function revealed(value: unknown): string {
  let text = inspect(value, {
    depth: 8,
    showHidden: true,
    maxStringLength: 1_000_000,
    maxArrayLength: 1000,
    breakLength: Infinity,
  })
  try {
    text += `\n${value}\n${JSON.stringify(value)}`
  } catch {
    // What can't be written shows nothing.
  }
  return text
}
