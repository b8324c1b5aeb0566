import { type Check, checkOptions, text, texts } from '../errors/check.ts'
import { OptionRangeError, OptionTypeError } from '../errors/option.ts'

/**
 * The user that a client acts as. The client's own user must be allowed to impersonate each part.
 *
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export interface Impersonation {
  readonly user: string
  /** @default the groups that the server adds: `system:authenticated`, and those of a ServiceAccount */
  readonly groups?: readonly string[] | undefined
  readonly uid?: string | undefined
  /** Further attributes of the user for authorizers and admission plugins, such as `scopes`. The server makes keys lower case. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined
}

type Headers = Record<string, string | readonly string[]>

/** The headers of an impersonation, in UTF-8, because Node sends each character as one byte. */
export function impersonationHeaders(of: Impersonation): Headers {
  checkOptions('client.impersonate', of, { user: text, groups: texts, uid: text, extra: extras }, ['user'])
  const { user, groups = [], uid, extra = {} } = of
  const headers: Headers = { 'impersonate-user': utf8(user) }
  if (groups.length > 0) headers['impersonate-group'] = groups.map(utf8)
  if (uid !== undefined) headers['impersonate-uid'] = utf8(uid)
  for (const [key, values] of Object.entries(extra)) {
    if (values.length > 0) headers[`impersonate-extra-${escaped(key)}`] = values.map(utf8)
  }
  return headers
}

const extras: Check = (option, value) => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new OptionTypeError(option, 'lists of strings by key', typeof value)
  }
  const seen = new Set<string>()
  for (const [key, values] of Object.entries(value)) {
    text(`a key of ${option}`, key)
    texts(`${option}.${key}`, values)
    const header = escaped(key)
    if (seen.has(header)) throw new OptionRangeError(option, 'keys that differ in more than case', JSON.stringify(key))
    seen.add(header)
  }
}

/** Percent-encodes the bytes that a header name can't contain, and `%`, as client-go does. */
function escaped(key: string): string {
  const bytes = Buffer.from(key.toLowerCase()).toString('latin1')
  return bytes.replace(/[^a-z0-9!#$&'*+.^_`|~-]/g, byte => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** Encodes a name in UTF-8: HTTP/2 would cut characters to their last byte, which could make it the name of another user. */
function utf8(name: string): string {
  return Buffer.from(name).toString('latin1')
}
