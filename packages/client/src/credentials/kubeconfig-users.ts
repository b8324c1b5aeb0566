import { CredentialsError } from './error.ts'
import type { KubeConfigUser } from './kubeconfig.ts'

/** The fields of a kubeconfig's user that client-node leaves out. */
export interface MoreOfUser {
  readonly authProvider?: { readonly name: string; readonly config: { readonly tokenFile: string } }
  readonly impersonateGroups?: KubeConfigUser['impersonateGroups']
  readonly impersonateUid?: KubeConfigUser['impersonateUid']
  readonly impersonateExtra?: KubeConfigUser['impersonateExtra']
}

/**
 * Reads these fields of a user in a kubeconfig.
 * @throws CredentialsError with `KUBECONFIG_INVALID` if a field is not valid
 */
export function moreOf(said: object, name: string): MoreOfUser {
  const { token, username, password, tokenFile, ...as } = said as Readonly<Record<string, unknown>>
  const { 'as-groups': groups, 'as-uid': uid, 'as-user-extra': extra } = as
  const check = (field: string, takes: string, holds: boolean): void => {
    if (holds) return
    throw new CredentialsError('KUBECONFIG_INVALID', `${field} of user ${JSON.stringify(name)} must be ${takes}`)
  }
  for (const [field, value] of Object.entries({ token, username, password }))
    check(field, 'text: put it in quotes', isAbsent(value) || typeof value === 'string')
  check('tokenFile', 'the name of a file', isAbsent(tokenFile) || typeof tokenFile === 'string')
  check('as-groups', 'a list of names', isAbsent(groups) || areTexts(groups))
  check('as-uid', 'text', isAbsent(uid) || typeof uid === 'string')
  check('as-user-extra', 'lists of texts by key', isAbsent(extra) || areListsByKey(extra))
  return {
    // client-node's own form for a token in a file.
    ...(tokenFile ? { authProvider: { name: 'tokenFile', config: { tokenFile: `${tokenFile}` } } } : {}),
    ...(areTexts(groups) && groups.length > 0 ? { impersonateGroups: groups } : {}),
    ...(uid ? { impersonateUid: `${uid}` } : {}),
    ...(areListsByKey(extra) && Object.keys(extra).length > 0 ? { impersonateExtra: extra } : {}),
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(one => typeof one === 'string')
}

function areListsByKey(value: unknown): value is Readonly<Record<string, readonly string[]>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(areTexts)
}
