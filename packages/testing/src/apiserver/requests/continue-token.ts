import { StatusError } from '../status.ts'

/** Where a paged list goes on: after `start` (relative to the list's own prefix), in the state of `rv` (-1: the newest). */
export interface ContinueToken {
  readonly rv: number
  readonly start: string
}

/** Writes a token as the server does: base64url of JSON. */
export function encodeContinue({ rv, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start: `/${start}` })).toString('base64url')
}

/** Reads a token. Throws the 400 of one that is none. */
export function decodeContinue(text: string): ContinueToken {
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Record<string, unknown>
    const { v, rv, start } = token
    if (v === 'meta.k8s.io/v1' && typeof rv === 'number' && Number.isInteger(rv) && typeof start === 'string') {
      return { rv, start: start.replace(/^\//, '') }
    }
  } catch {
    // Told below, as any other text that is no token.
  }
  throw StatusError.badRequest('continue key is not valid: not a token of this server')
}
