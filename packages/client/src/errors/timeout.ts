import type { RequestInfo } from './request-info.ts'
import { subject } from './request-info.ts'

/**
 * A call took longer than its `timeoutMs`, or a watch lasted longer than it may. Whether a write took effect is not known.
 *
 * @example
 * ```ts
 * import { Client, TimeoutError } from '@wherry/client'
 * import { pods } from '@wherry/client/resources/core'
 *
 * const client = await Client.connect()
 * try {
 *   const { items } = await client.list(pods, { timeoutMs: 2_000 })
 *   console.log(items.length)
 * } catch (error) {
 *   if (!(error instanceof TimeoutError)) throw error
 *   console.error(`no list of pods in ${error.timeoutMs} ms`)
 * }
 * ```
 */
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
