import { readFile } from 'node:fs/promises'
import { CredentialsError } from './error.ts'

/** Where a piece of credentials comes from: a text that stays, or a file that may be written anew. */
export type Source = { readonly data: string } | { readonly file: string }

/** Reads a source. Rejects with a `CREDENTIALS_UNREADABLE` that names the file and says nothing of its content. */
export async function readSource(source: Source): Promise<string> {
  if ('data' in source) return source.data
  let text: string
  try {
    text = await readFile(source.file, 'utf8')
  } catch (cause) {
    throw new CredentialsError('CREDENTIALS_UNREADABLE', `${source.file} can't be read`, cause)
  }
  if (text.trim() === '') throw new CredentialsError('CREDENTIALS_UNREADABLE', `${source.file} is empty`)
  return text
}
