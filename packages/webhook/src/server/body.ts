import type { IncomingMessage } from 'node:http'

/** Two objects of 3 MiB, which etcd takes at most with room for their envelopes. */
export const longestBodyBytes: number = 7 * 1024 * 1024
/** How much more of a body that is too long is read and dropped, so that its sender gets to read the answer. */
const droppedBytes = 4 * longestBodyBytes

/** The body of a request; `undefined` if it is too long. Rejects if the connection ends before the body does. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= longestBodyBytes) chunks.push(chunk)
    else chunks.length = 0
    if (length > droppedBytes) break
  }
  return length > longestBodyBytes ? undefined : Buffer.concat(chunks)
}
