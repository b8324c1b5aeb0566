/** A running source of bytes, as far as its reader steers it. An `Exchange` is one. */
export interface Flow {
  /** Stops reading: nothing more comes, except bytes that are under way already. */
  pause(): void
  resume(): void
  /** Ends it. Nothing comes from now on. */
  abort(): void
}

/** Receives a body: chunks, then exactly one of `end` and `error`. */
export interface BodyHandlers {
  /** The chunk is lent until this returns: a handler copies the part that it keeps. */
  data(chunk: Uint8Array): void
  end(): void
  error(cause: Error): void
}
