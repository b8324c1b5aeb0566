import { open } from 'node:fs/promises'
import { CredentialsError } from './error.ts'

/** Where a piece of credentials comes from: a text that stays, or a file that may be written again. */
export type Source = { readonly data: string } | { readonly file: string }

/** Longest file of credentials, in bytes. */
const maxBytes = 1024 * 1024

/** Reads a source. Rejects with a `CREDENTIALS_UNREADABLE` that names the file and says nothing of its content. */
export async function readSource(source: Source): Promise<string> {
  if ('data' in source) return source.data
  let bytes: Buffer
  try {
    bytes = await readBounded(source.file)
  } catch (cause) {
    throw new CredentialsError('CREDENTIALS_UNREADABLE', `${source.file} can't be read`, cause)
  }
  if (bytes.length > maxBytes) {
    throw new CredentialsError('CREDENTIALS_UNREADABLE', `${source.file} is longer than 1 MiB`)
  }
  const text = bytes.toString()
  if (text.trim() === '') throw new CredentialsError('CREDENTIALS_UNREADABLE', `${source.file} is empty`)
  return text
}

/** The content of a file; of a file that is too long, only the first part, which is longer than the bound. */
async function readBounded(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const chunks: Buffer[] = []
    for (let length = 0; length <= maxBytes; ) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(64 * 1024))
      if (bytesRead === 0) break
      chunks.push(buffer.subarray(0, bytesRead))
      length += bytesRead
    }
    return Buffer.concat(chunks)
  } finally {
    await file.close()
  }
}
