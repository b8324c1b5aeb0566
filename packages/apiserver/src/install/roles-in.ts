import type { GrantedRole } from '../authn/account.ts'
import { type ManifestSource, manifestsOf } from './manifests.ts'

/**
 * The Roles and ClusterRoles among manifests, for `server.account`: an operator in a test has the rights that its manifests give it, and no others.
 *
 * ```ts
 * const { token } = await server.account(rolesIn('deploy'))
 * ```
 *
 * @param sources as for `install`
 * @throws `Error` for a file that can't be read, and for a text that is no manifest
 *
 * @example
 * ```ts
 * import { rolesIn } from '@wherry/testing'
 *
 * console.log(rolesIn('deploy').flatMap(({ rules }) => rules ?? []).length)
 * ```
 */
export function rolesIn(...sources: readonly ManifestSource[]): GrantedRole[] {
  return sources
    .flatMap(manifestsOf)
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
    .map(({ object }) => object as unknown as GrantedRole)
}
