import type { Credentials } from './credentials.ts'
import type { KubeConfigLike } from './kubeconfig.ts'

/**
 * Credentials of a legacy `auth-provider` (OIDC and the like): the kubeconfig's own library knows how to renew them, by their
 * expiry, and is asked for each request.
 *
 * @param base has the TLS material.
 * @param check throws where the kubeconfig is of another cluster by now.
 */
export function providerCredentials(
  config: Pick<KubeConfigLike, 'applyToHTTPSOptions'>,
  base: Credentials,
  check: () => void,
): Credentials {
  return {
    async headers() {
      const options: { headers: Record<string, unknown> } = { headers: {} }
      // Files of the TLS material are looked at too.
      await base.headers()
      check()
      await config.applyToHTTPSOptions(options)
      // The context may have been changed while a token was being renewed.
      check()
      const { Authorization, authorization = Authorization } = options.headers
      return typeof authorization === 'string' ? { authorization } : ({} as Record<string, string>)
    },
    tls: () => base.tls(),
    digest: () => base.digest(),
    refresh: () => base.refresh(),
    close: () => base.close?.(),
  }
}
