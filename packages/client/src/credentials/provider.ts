import type { Credentials, TlsMaterial } from './credentials.ts'

/**
 * Credentials of a legacy `auth-provider` (OIDC and the like): the kubeconfig's own library knows
 * how to renew them, and is asked for each request.
 */
export class ProviderCredentials implements Credentials {
  readonly #config: { applyToHTTPSOptions(options: { headers?: Record<string, unknown> }): Promise<void> }
  readonly #base: Credentials
  readonly #check: () => void

  /** `base` has the TLS material. `check` throws where the kubeconfig is of another cluster by now. */
  constructor(
    config: { applyToHTTPSOptions(options: { headers?: Record<string, unknown> }): Promise<void> },
    base: Credentials,
    check: () => void,
  ) {
    this.#config = config
    this.#base = base
    this.#check = check
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    const options: { headers: Record<string, unknown> } = { headers: {} }
    // Files of the TLS material are looked at too.
    await this.#base.headers()
    this.#check()
    await this.#config.applyToHTTPSOptions(options)
    // The context may have been changed while a token was being renewed.
    this.#check()
    const { Authorization, authorization = Authorization } = options.headers
    return typeof authorization === 'string' ? { authorization } : {}
  }

  tls(): TlsMaterial | Promise<TlsMaterial> {
    return this.#base.tls()
  }

  digest(): string {
    return this.#base.digest()
  }

  /** Its library refreshes them by their expiry, and in no other way. */
  refresh(): Promise<boolean> {
    return this.#base.refresh()
  }

  close(): void {
    this.#base.close?.()
  }
}
