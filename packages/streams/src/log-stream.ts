import type { Client } from '@wherry/client'
import { readPieces } from '@wherry/client/internal'
import { type LogBatch, LogCutter, type LogCutterOptions } from './log-lines.ts'
import type { PodRequest } from './pod.ts'

/** How many bytes of lines may wait for the reader before the connection is paused. */
const highWaterBytes = 256 * 1024

/** Yields the lines of one log request, in batches. It sends the request at the first `next()`, and throws the error of the request. */
export async function* logStream(
  client: Client,
  request: PodRequest,
  how: LogCutterOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly string[], void, undefined> {
  signal.throwIfAborted()
  let waiting: LogBatch[] = []
  let bytes = 0
  let ended: { readonly error?: Error } | undefined
  let wake = (): void => {}
  const reading = readPieces<LogBatch>(
    client.raw,
    { path: request.path, accept: '*/*', lane: 'stream', isPatient: true, gzip: false },
    request.about,
    new LogCutter(how),
    {
      piece(batch) {
        waiting.push(batch)
        bytes += batch.bytes
        if (bytes >= highWaterBytes) reading.hold()
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
      const batches = waiting
      waiting = []
      bytes = 0
      for (const { lines } of batches) yield lines
      signal.throwIfAborted()
      if (waiting.length > 0) continue
      reading.release()
      if (waiting.length > 0) continue
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
