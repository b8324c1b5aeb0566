import type { Client } from '@wherry/client'
import { readPieces } from '@wherry/client/internal'
import { LogCutter } from './log-lines.ts'
import type { PodRequest } from './pod.ts'

/** How many bytes of lines may wait for the reader before the connection is paused. */
const highWaterBytes = 256 * 1024

/** Yields the lines of one log request, in batches. It sends the request at the first `next()`, and throws the error of the request. */
export async function* logStream(
  client: Client,
  request: PodRequest,
  maxLineBytes: number,
  signal: AbortSignal,
): AsyncGenerator<readonly Buffer[], void, undefined> {
  signal.throwIfAborted()
  let lines: Buffer[] = []
  let length = 0
  let ended: { readonly error?: Error } | undefined
  let wake = (): void => {}
  const reading = readPieces<Buffer>(
    client.raw,
    { path: request.path, accept: '*/*', lane: 'stream', isPatient: true, gzip: false },
    request.about,
    new LogCutter(maxLineBytes),
    {
      piece(line) {
        lines.push(line)
        length += line.length
        if (length >= highWaterBytes) reading.hold()
        wake()
      },
      end() {
        ended = {}
        wake()
      },
      error(error) {
        ended = { error }
        wake()
      },
    },
  )
  const aborted = (): void => wake()
  signal.addEventListener('abort', aborted, { once: true })
  try {
    for (;;) {
      const batch = lines
      lines = []
      length = 0
      if (batch.length > 0) yield batch
      signal.throwIfAborted()
      if (lines.length > 0) continue
      reading.release()
      if (lines.length > 0) continue
      if (ended?.error !== undefined) throw ended.error
      if (ended !== undefined) return
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  } finally {
    signal.removeEventListener('abort', aborted)
    reading.abort()
  }
}
