import { createHash } from 'node:crypto'
import type { TlsMaterial } from './credentials.ts'

/** Stands for TLS material without showing it. `''` where there is none. */
export function digestOf({ ca, cert, key }: TlsMaterial): string {
  if (ca === undefined && cert === undefined && key === undefined) return ''
  const hash = createHash('sha256')
  for (const part of [ca, cert, key]) hash.update(`${part?.length ?? -1}:${part ?? ''}`)
  return hash.digest('base64url')
}
