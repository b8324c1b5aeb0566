import type { RequestInfo } from '../errors/request-info.ts'
import { subject } from '../errors/request-info.ts'

/** The default maximum size of a line of a watch and of an item of a list, in bytes after decompression. */
export const defaultMaxLineBytes: number = 16 * 1024 * 1024

/** An error about received bytes, which names the request. */
abstract class ReceivedError extends Error {
  /** The method of the request. Errors of a client always have it; those of a cutter or decoder do not. */
  readonly method: string | undefined
  /** Of the request, without the query. */
  readonly path: string | undefined

  constructor(message: string, about?: RequestInfo) {
    super(about === undefined ? message : `${subject(about)}: ${message}`)
    this.method = about?.method
    this.path = about?.path
  }
}

/** A line of a watch is longer than the bound: the stream can't be read on. */
export class LineTooLongError extends ReceivedError {
  override readonly name = 'LineTooLongError'
  readonly code = 'LINE_TOO_LONG'
  readonly maxBytes: number

  constructor(maxBytes: number, about?: RequestInfo) {
    super(`a line of the stream is longer than ${maxBytes} bytes`, about)
    this.maxBytes = maxBytes
  }
}

/** An item of a list, or another field of the list, is longer than the bound: the body can't be read on. */
export class ItemTooLongError extends ReceivedError {
  override readonly name = 'ItemTooLongError'
  readonly code = 'ITEM_TOO_LONG'
  readonly maxBytes: number

  constructor(maxBytes: number, about?: RequestInfo) {
    super(`an item of the list is longer than ${maxBytes} bytes`, about)
    this.maxBytes = maxBytes
  }
}

/** An answer is longer than the bound (rule X4), and was not read further. */
export class BodyTooLongError extends ReceivedError {
  override readonly name = 'BodyTooLongError'
  readonly code = 'BODY_TOO_LONG'
  readonly maxBytes: number
  declare readonly method: string
  declare readonly path: string

  constructor(maxBytes: number, about: RequestInfo) {
    super(`the answer is longer than ${maxBytes} bytes`, about)
    this.maxBytes = maxBytes
  }
}

/**
 * A received body violates the protocol: it is no JSON, or JSON of another shape. The message has the position
 * and never the text, which could be a Secret's data (so the parser's error is no `cause` either).
 */
export class InvalidBodyError extends ReceivedError {
  override readonly name = 'InvalidBodyError'
  readonly code = 'INVALID_BODY'
}

/** Adds the request to an error of this file that has none yet. */
export function located(error: Error, about: RequestInfo): Error {
  if (error instanceof InvalidBodyError) return error.path ? error : new InvalidBodyError(error.message, about)
  if (error instanceof LineTooLongError) return error.path ? error : new LineTooLongError(error.maxBytes, about)
  if (error instanceof ItemTooLongError) return error.path ? error : new ItemTooLongError(error.maxBytes, about)
  return error
}
