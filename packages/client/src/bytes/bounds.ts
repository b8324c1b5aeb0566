import type { RequestInfo } from '../errors/request-info.ts'
import { subject } from '../errors/request-info.ts'

/** Longest line of a watch and longest item of a list, in bytes after decompression, unless set otherwise. */
export const defaultMaxLineBytes: number = 16 * 1024 * 1024

/** A line of a watch is longer than the bound: the stream can't be read on. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError'
  readonly code = 'LINE_TOO_LONG'
  readonly maxBytes: number
  /** Of the request. A client's own errors always have it; a bare cutter of lines knows of none. */
  readonly method: string | undefined
  /** Of the request, without the query. */
  readonly path: string | undefined

  constructor(maxBytes: number, about?: RequestInfo) {
    super(worded(about, `a line of the stream is longer than ${maxBytes} bytes`))
    this.maxBytes = maxBytes
    this.method = about?.method
    this.path = about?.path
  }
}

/** An item of a list, or a field beside its items, is longer than the bound: the body can't be read on. */
export class ItemTooLongError extends Error {
  override readonly name = 'ItemTooLongError'
  readonly code = 'ITEM_TOO_LONG'
  readonly maxBytes: number
  /** Of the request. A client's own errors always have it; a bare cutter of items knows of none. */
  readonly method: string | undefined
  /** Of the request, without the query. */
  readonly path: string | undefined

  constructor(maxBytes: number, about?: RequestInfo) {
    super(worded(about, `an item of the list is longer than ${maxBytes} bytes`))
    this.maxBytes = maxBytes
    this.method = about?.method
    this.path = about?.path
  }
}

/** An answer is longer than the bound (rule X4): it was not read on. */
export class BodyTooLongError extends Error {
  override readonly name = 'BodyTooLongError'
  readonly code = 'BODY_TOO_LONG'
  readonly maxBytes: number
  /** Of the request. */
  readonly method: string
  /** Of the request, without the query. */
  readonly path: string

  constructor(maxBytes: number, about: RequestInfo) {
    super(worded(about, `the answer is longer than ${maxBytes} bytes`))
    this.maxBytes = maxBytes
    this.method = about.method
    this.path = about.path
  }
}

/**
 * What was received is not what the protocol says: no JSON, or JSON of another shape. Says where,
 * and never what: it could be a Secret's data (so the parser's own error is no `cause` either).
 */
export class InvalidBodyError extends Error {
  override readonly name = 'InvalidBodyError'
  readonly code = 'INVALID_BODY'
  /** Of the request. A client's own errors always have it; a bare decoder knows of none. */
  readonly method: string | undefined
  /** Of the request, without the query. */
  readonly path: string | undefined

  constructor(message: string, about?: RequestInfo) {
    super(worded(about, message))
    this.method = about?.method
    this.path = about?.path
  }
}

/** `error` with the request that it is about, if it is one of these and does not know that yet. */
export function located(error: Error, about: RequestInfo): Error {
  if (error instanceof InvalidBodyError) return error.path ? error : new InvalidBodyError(error.message, about)
  if (error instanceof LineTooLongError) return error.path ? error : new LineTooLongError(error.maxBytes, about)
  if (error instanceof ItemTooLongError) return error.path ? error : new ItemTooLongError(error.maxBytes, about)
  return error
}

function worded(about: RequestInfo | undefined, message: string): string {
  return about === undefined ? message : `${subject(about)}: ${message}`
}
