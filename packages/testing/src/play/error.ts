/** The player can't play an object: the server refuses a write, or the object has a field that the player does not support. */
export class PlayError extends Error {
  override readonly name = 'PlayError'
  readonly code = 'ERR_WHERRY_PLAY'
  /** The object, such as `Job default/backup`. */
  readonly object: string

  constructor(object: string, problem: string, cause?: unknown) {
    super(`play: the ${object}: ${problem}`, { cause })
    this.object = object
  }
}
