/** What keeps a player from playing its part: a write that the server refuses, or a field that it does not know how to play. */
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
