/** The controls of a running source of bytes, such as an `Exchange`. */
export interface Flow {
  /** Stops reading: nothing more comes, except bytes that are under way already. */
  pause(): void
  resume(): void
  /** Ends the source. No handler is called after this. */
  abort(): void
}

/** Receives a body: chunks, then exactly one of `end` and `error`. */
export interface BodyHandlers {
  /** Receives a chunk. Its memory may be reused after this returns, so a handler copies the part that it keeps. */
  data(chunk: Uint8Array): void
  end(): void
  error(cause: Error): void
}
