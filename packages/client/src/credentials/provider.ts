import type { Credentials } from './credentials.ts'
import { CredentialsError } from './error.ts'
import type { KubeConfigLike, KubeConfigUser } from './kubeconfig.ts'

/**
 * Credentials of a legacy `auth-provider` (OIDC and the like). The kubeconfig's library renews them before their expiry, so it is called for each
 * request.
 *
 * @param base the credentials with the TLS material
 * @param check throws if the kubeconfig is of another cluster now
 */
export function providerCredentials(
  config: Pick<KubeConfigLike, 'applyToHTTPSOptions'>,
  user: Pick<KubeConfigUser, 'name' | 'authProvider'>,
  base: Credentials,
  check: () => void,
): Credentials {
  return {
    async headers() {
      const options: { headers: Record<string, unknown> } = { headers: {} }
      // Files of the TLS material are looked at too.
      await base.headers()
      check()
      try {
        await config.applyToHTTPSOptions(options)
      } catch (cause) {
        throw failed(user, reasonOf(cause))
      }
      // The context may have been changed while a token was being renewed.
      check()
      const { Authorization, authorization = Authorization } = options.headers
      if (typeof authorization === 'string') return { authorization }
      // The library returns nothing for an unknown provider. Without an error, requests would silently be anonymous.
      if ((await base.tls()).cert === undefined) throw failed(user, 'it gives no token')
      return {} as Record<string, string>
    },
    tls: () => base.tls(),
    digest: () => base.digest(),
    refresh: () => base.refresh(),
    close: () => base.close?.(),
  }
}

function failed(
  { name, authProvider }: Pick<KubeConfigUser, 'name' | 'authProvider'>,
  reason: string,
): CredentialsError {
  const provider = (authProvider as { readonly name?: unknown } | undefined)?.name
  const message = `the auth provider ${JSON.stringify(provider)} of user ${JSON.stringify(name)} failed: ${reason}`
  return new CredentialsError('AUTH_PROVIDER_FAILED', message)
}

/** The error's name and code. Its message may quote the answer of an identity provider. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it threw no error'
  const { code } = cause as { readonly code?: unknown }
  return typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? code : cause.constructor.name
}
