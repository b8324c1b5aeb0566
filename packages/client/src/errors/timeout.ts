import type { RequestInfo } from './request-info.ts'
import { subject } from './request-info.ts'

/** A call took longer than its `timeoutMs`. Whether a write took effect is not known. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly code = 'TIMEOUT'
  readonly timeoutMs: number
  readonly method: string
  readonly path: string
  readonly resource: string | undefined
  readonly key: string | undefined

  constructor(timeoutMs: number, about: RequestInfo, cause?: unknown) {
    super(`${subject(about)}: no complete answer in ${timeoutMs} ms`, cause === undefined ? undefined : { cause })
    this.timeoutMs = timeoutMs
    this.method = about.method
    this.path = about.path
    this.resource = about.resource
    this.key = about.key
  }
}
