import { posix } from 'node:path'
import { StatusError } from '../status.ts'

/** The position at which a paged list continues: from the key `start` on (relative to the list's own prefix), in the state at `rv` (-1: the newest). */
export interface ContinueToken {
  readonly rv: number
  readonly start: string
}

const version = 'meta.k8s.io/v1'

/** Writes a token as the server does: base64url of JSON. */
export function encodeContinue({ rv, start }: ContinueToken): string {
  // A token for the newest state, which the Status of an expired list contains, has no slash.
  const key = rv === -1 ? start : `/${start}`
  return Buffer.from(JSON.stringify({ v: version, rv, start: key })).toString('base64url')
}

/** Reads a token. Throws the server's 400 if the text is no token. */
export function decodeContinue(text: string): ContinueToken {
  const strange = text.search(/[^\w-]/)
  if (strange !== -1) throw notValid(`illegal base64 data at input byte ${strange}`)
  const decoded = Buffer.from(text, 'base64url')
  let token: Record<string, unknown>
  try {
    token = JSON.parse(decoded.toString('utf8')) as Record<string, unknown>
  } catch {
    throw notValid(
      decoded.length === 0
        ? 'unexpected end of JSON input'
        : `invalid character '${String.fromCharCode(decoded[0] as number)}' looking for beginning of value`,
    )
  }
  const { v = '', rv = 0, start = '' } = token ?? {}
  if (v !== version) throw notValid(`server does not recognize this encoded version ${v}`)
  if (typeof rv !== 'number' || !Number.isInteger(rv) || rv === 0) {
    throw notValid(`incorrect encoded start resourceVersion (version ${version})`)
  }
  if (typeof start !== 'string' || start === '') throw notValid(`encoded start key empty (version ${version})`)
  const key = start.startsWith('/') ? start : `/${start}`
  if (posix.normalize(key) !== key) throw notValid(start)
  return { rv: rv < 0 ? -1 : rv, start: key.slice(1) }
}

function notValid(why: string): StatusError {
  return StatusError.badRequest(`invalid continue token: continue key is not valid: ${why}`)
}
