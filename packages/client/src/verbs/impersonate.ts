import { checkOptions, text } from '../errors/check.ts'
import { OptionTypeError } from '../errors/option.ts'

/** Whom the server is to take this client for; its own user must be allowed to impersonate. */
export interface Impersonation {
  readonly user: string
  /** @default the groups of `user`, as the server knows them: none for most */
  readonly group?: string | undefined
  readonly uid?: string | undefined
}

/** The headers that say so. */
export function impersonationHeaders(of: Impersonation): Record<string, string> {
  checkOptions('client.impersonate', of, { user: text, group: text, uid: text })
  if (of.user === undefined) throw new OptionTypeError('client.impersonate.user', 'a user name', 'nothing')
  const { user, group, uid } = of
  return {
    'impersonate-user': user,
    ...(group !== undefined && { 'impersonate-group': group }),
    ...(uid !== undefined && { 'impersonate-uid': uid }),
  }
}
