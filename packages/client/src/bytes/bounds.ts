/** Longest line of a watch and longest item of a list, in bytes after decompression, unless set otherwise. */
export const defaultMaxLineBytes: number = 16 * 1024 * 1024

/** A line of a watch is longer than the bound: the stream can't be read on. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError'
  readonly code = 'LINE_TOO_LONG'
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`a line of the stream is longer than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

/** An item of a list, or a field beside its items, is longer than the bound: the body can't be read on. */
export class ItemTooLongError extends Error {
  override readonly name = 'ItemTooLongError'
  readonly code = 'ITEM_TOO_LONG'
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`an item of the list is longer than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

/**
 * What was received is not what the protocol says: no JSON, or JSON of another shape. Says where,
 * and never what: it could be a Secret's data (so the parser's own error is no `cause` either).
 */
export class InvalidBodyError extends Error {
  override readonly name = 'InvalidBodyError'
  readonly code = 'INVALID_BODY'
}
