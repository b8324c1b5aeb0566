import type { RequestHead, ResponseHeaders } from '../transport.ts'
import type { MemoryStream } from './memory-stream.ts'

/** A frame from the client to the server. */
export type ClientFrame =
  | { readonly kind: 'request'; readonly stream: MemoryStream; readonly head: RequestHead }
  | { readonly kind: 'credit'; readonly stream: MemoryStream; readonly bytes: number }
  | { readonly kind: 'cancel'; readonly stream: MemoryStream }
  | { readonly kind: 'ping'; readonly id: number }
  | { readonly kind: 'close' }

/** A part of a body on its way to the client. */
export interface DataFrame {
  readonly kind: 'data'
  readonly stream: MemoryStream
  readonly bytes: Uint8Array
}

/** A frame from the server to the client. */
export type ServerFrame =
  | DataFrame
  | { readonly kind: 'head'; readonly stream: MemoryStream; readonly status: number; readonly headers: ResponseHeaders }
  | { readonly kind: 'end'; readonly stream: MemoryStream }
  | { readonly kind: 'rst'; readonly stream: MemoryStream; readonly code: number }
  | { readonly kind: 'pong'; readonly id: number }
  /** Streams with an id above `lastId` are not processed. */
  | { readonly kind: 'goaway'; readonly lastId: number }
  | { readonly kind: 'close'; readonly cause: Error | undefined }
