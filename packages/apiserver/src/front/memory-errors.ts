/** HTTP/2's error codes that the memory front uses, as Node names them. */
const names: Readonly<Record<number, string>> = {
  0: 'NGHTTP2_NO_ERROR',
  1: 'NGHTTP2_PROTOCOL_ERROR',
  2: 'NGHTTP2_INTERNAL_ERROR',
  7: 'NGHTTP2_REFUSED_STREAM',
  8: 'NGHTTP2_CANCEL',
  11: 'NGHTTP2_ENHANCE_YOUR_CALM',
}

export const PROTOCOL_ERROR = 1
export const INTERNAL_ERROR = 2
export const REFUSED_STREAM = 7

/** The data of a connection's or a stream's error, in addition to its message. */
export interface TransportErrorData {
  /** The code that Node's sockets and http2 have for the error. */
  readonly code: string
  /** The code of an RST_STREAM. */
  readonly rstCode?: number | undefined
  /** `true` if the server certainly has not processed the request. */
  readonly unprocessed?: boolean | undefined
}

/** An error in the form of Node's own transports. */
export function transportError(message: string, data: TransportErrorData): Error & TransportErrorData {
  return Object.assign(new Error(message), data)
}

/** A stream that the server has reset. */
export function resetError(rstCode: number): Error & TransportErrorData {
  const message = `Stream closed with error code ${names[rstCode] ?? rstCode}`
  const unprocessed = rstCode === REFUSED_STREAM
  return transportError(message, { code: 'ERR_HTTP2_STREAM_ERROR', rstCode, ...(unprocessed && { unprocessed }) })
}
