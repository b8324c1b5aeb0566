/**
 * Why a stream to a container failed, though the API server opened it:
 * - `STREAM_FAILED`: the command could not be run, nothing listens at the port, or the connection ended before the server reported how the command had ended.
 * - `OUTPUT_TOO_LONG`: the command wrote more than `maxBytes`. Its connection was closed. The container runtime decides whether the command goes on.
 * - `UNSAFE_PATH`: an archive has a path or a link that leads out of the folder that it is copied to. That entry was not written.
 */
export type StreamErrorCode = 'STREAM_FAILED' | 'OUTPUT_TOO_LONG' | 'UNSAFE_PATH'

/**
 * A stream to a container failed. A command that ran and failed is no such error: see its `exitCode`.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { exec, StreamError } from '@wherry/streams'
 *
 * const client = await Client.connect()
 * try {
 *   await exec(client, { name: 'db-0', namespace: 'arcade' }, ['pgsql'])
 * } catch (error) {
 *   if (!(error instanceof StreamError)) throw error
 *   console.error(error.code, error.message) // STREAM_FAILED … executable file not found in $PATH
 * }
 * ```
 */
export class StreamError extends Error {
  override readonly name = 'StreamError'
  readonly code: StreamErrorCode
  /** The reason of the server's `Status`, for example `InternalError`; `''` if it gave none. */
  readonly reason: string

  constructor(code: StreamErrorCode, message: string, reason = '') {
    super(message)
    this.code = code
    this.reason = reason
  }
}
