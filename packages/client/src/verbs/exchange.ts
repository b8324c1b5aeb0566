import { abortable } from '../abortable.ts'
import { BodyTooLongError } from '../bytes/bounds.ts'
import { maxStatusBytes } from '../errors/error-of-answer.ts'
import type { RequestInfo } from '../errors/request-info.ts'
import type { LaneRequest, Requester } from '../requester.ts'
import type { ResponseHeaders } from '../transport.ts'

/** A whole answer. */
export interface Answer {
  readonly status: number
  readonly headers: ResponseHeaders
  /** `undefined` for a refusal with a body longer than `maxStatusBytes`. */
  readonly body: Uint8Array | undefined
}

/** The maximum size of an answer with one object, in bytes. (kube-apiserver stores at most 1.5 MiB.) */
export const maxObjectBytes: number = 16 * 1024 * 1024

/** Whether an answer is a success. Redirects are not followed, so that credentials are sent to no other server (rule X4). */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** Sends a request. Resolves with its whole answer, of at most `maxBytes`. Rejects at once with the signal's reason. */
export function exchange(
  requester: Requester,
  request: LaneRequest,
  signal: AbortSignal,
  maxBytes: number,
  about: RequestInfo,
): Promise<Answer> {
  return abortable(signal, (resolve, reject) => {
    let status = 0
    let headers: ResponseHeaders = {}
    let chunks: Uint8Array[] = []
    let size = 0
    const tooLong = (): void => {
      under.abort()
      if (isSuccess(status)) reject(new BodyTooLongError(maxBytes, about))
      else resolve({ status, headers, body: undefined })
    }
    const under = requester.request(request, {
      head(answered, received) {
        status = answered
        headers = received
      },
      data(chunk) {
        size += chunk.length
        if (size > (isSuccess(status) ? maxBytes : maxStatusBytes)) {
          chunks = []
          tooLong()
        } else chunks.push(Buffer.from(chunk))
      },
      end() {
        const body = chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, size)
        resolve({ status, headers, body })
      },
      error: reject,
    })
    return () => under.abort()
  })
}
