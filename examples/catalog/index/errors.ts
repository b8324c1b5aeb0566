/** An index that can't be used: a part of one, or text that is no index. */
export class InvalidIndexError extends Error {
  override readonly name = 'InvalidIndexError'
  readonly code = 'INVALID_INDEX'
}

/** An index of a format that this program does not know. */
export class UnsupportedFormatError extends Error {
  override readonly name = 'UnsupportedFormatError'
  readonly code = 'UNSUPPORTED_FORMAT'
  readonly format: string

  constructor(format: string, known: string) {
    super(`the index has the format ${format}; this program reads ${known}`)
    this.format = format
  }
}

/** A change of an index that can't be made: a name that is taken, a release that is not there, metadata that is missing. */
export class IndexEditError extends Error {
  override readonly name = 'IndexEditError'
  readonly code = 'INDEX_EDIT'
}
