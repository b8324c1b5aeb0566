import type { CloseReason, Connection } from '../transport.ts'

/** What connections of both protocols have in common: they end, and say why. */
export abstract class ClosingConnection {
  /** Why it ended or is about to. */
  cause: Error | undefined
  protected state: 'open' | CloseReason = 'open'
  readonly #listeners: Parameters<Connection['onClose']>[0][] = []

  onClose(fn: (why: CloseReason, cause?: Error) => void): void {
    if (this.state !== 'open') fn(this.state, this.cause)
    if (this.state !== 'closed') this.#listeners.push(fn)
  }

  protected leave(why: CloseReason): void {
    if (this.state === 'closed' || this.state === why) return
    this.state = why
    for (const listener of [...this.#listeners]) listener(why, this.cause)
  }
}
