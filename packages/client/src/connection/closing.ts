import type { CloseReason, Connection } from '../transport.ts'

/** The common part of connections of both protocols: their end, with its cause. */
export abstract class ClosingConnection {
  /** The cause of the end, also of an end that is about to come. */
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
