import { checkOptions, text } from '../errors/check.ts'
import { OptionTypeError } from '../errors/option.ts'

/** Whom the server is to take this client for; its own user must be allowed to impersonate. */
export interface Impersonation {
  readonly user: string
  /** @default the groups of `user`, as the server knows them: none for most */
  readonly group?: string | undefined
  readonly uid?: string | undefined
}

/** The headers that say so: in UTF-8, whose bytes Node takes as one character each. */
export function impersonationHeaders(of: Impersonation): Record<string, string> {
  checkOptions('client.impersonate', of, { user: text, group: text, uid: text })
  if (of.user === undefined) throw new OptionTypeError('client.impersonate.user', 'a user name', 'nothing')
  const { user, group, uid } = of
  return {
    'impersonate-user': utf8(user),
    ...(group !== undefined && { 'impersonate-group': utf8(group) }),
    ...(uid !== undefined && { 'impersonate-uid': utf8(uid) }),
  }
}

/** HTTP/2 would cut characters down to their last byte, and so make one user of another. */
function utf8(name: string): string {
  return Buffer.from(name).toString('latin1')
}
