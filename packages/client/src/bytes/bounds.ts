import type { RequestInfo } from '../errors/request-info.ts'
import { subject } from '../errors/request-info.ts'

/** Longest line of a watch and longest item of a list, in bytes after decompression, unless set otherwise. */
export const defaultMaxLineBytes: number = 16 * 1024 * 1024

/** An error about received bytes: names the request. */
abstract class ReceivedError extends Error {
  /** Of the request. A client's own errors always have it; a bare cutter or decoder knows of none. */
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

/** An answer is longer than the bound (rule X4): it was not read on. */
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
 * What was received is not what the protocol says: no JSON, or JSON of another shape. Says where,
 * and never what: it could be a Secret's data (so the parser's own error is no `cause` either).
 */
export class InvalidBodyError extends ReceivedError {
  override readonly name = 'InvalidBodyError'
  readonly code = 'INVALID_BODY'
}

/** `error` with the request that it is about, if it is one of these and does not know that yet. */
export function located(error: Error, about: RequestInfo): Error {
  if (error instanceof InvalidBodyError) return error.path ? error : new InvalidBodyError(error.message, about)
  if (error instanceof LineTooLongError) return error.path ? error : new LineTooLongError(error.maxBytes, about)
  if (error instanceof ItemTooLongError) return error.path ? error : new ItemTooLongError(error.maxBytes, about)
  return error
}
