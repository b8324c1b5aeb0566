import { createSecureContext, type SecureContext } from 'node:tls'
import { authoritiesOf } from './authorities.ts'
import type { TlsMaterial } from './credentials.ts'
import { CredentialsError } from './error.ts'

/**
 * Secure contexts of one client. Parsing a bundle of certificates takes milliseconds, so the last context is kept.
 */
export class SecureContexts {
  #last: { readonly digest: string; readonly material: TlsMaterial; readonly context: SecureContext } | undefined

  /**
   * The context of `material`. `digest` is the digest that goes with it.
   * @throws CredentialsError with `TLS_MATERIAL_INVALID` for text that is no PEM, or for a certificate and a key that do not belong together.
   */
  of(material: TlsMaterial, digest: string): SecureContext {
    const last = this.#last
    // The digest may be that of newer material, so the texts are compared too.
    if (last?.digest === digest && isSame(last.material, material)) return last.context
    const context = secureContext(material)
    this.#last = { digest, material, context }
    return context
  }
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  return a.ca === b.ca && a.cert === b.cert && a.key === b.key
}

/** @throws CredentialsError with `TLS_MATERIAL_INVALID`, which does not quote the material */
export function secureContext({ ca, cert, key }: TlsMaterial): SecureContext {
  // Node would read no certificate from such a text, and trust none.
  if (ca !== undefined && !ca.includes('-----BEGIN')) {
    const message = "the certificate authority can't be used: it is no PEM (pass the file's content, not its path)"
    throw new CredentialsError('TLS_MATERIAL_INVALID', message)
  }
  const authorities = ca === undefined ? undefined : authoritiesOf(ca)
  if (authorities?.length === 0) {
    const message = "the certificate authority can't be used: no certificate in it can be read"
    throw new CredentialsError('TLS_MATERIAL_INVALID', message)
  }
  try {
    return createSecureContext({
      ...(authorities === undefined ? {} : { ca: authorities }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      minVersion: 'TLSv1.2',
    })
  } catch (error) {
    // OpenSSL's reason is one of a fixed list: `key values mismatch`, `no start line`.
    const { reason, code } = error as { readonly reason?: unknown; readonly code?: unknown }
    const why = typeof reason === 'string' ? reason : typeof code === 'string' ? code : 'it is no PEM'
    const what =
      cert === undefined ? 'the certificate authority' : 'the client certificate, its key or the certificate authority'
    throw new CredentialsError('TLS_MATERIAL_INVALID', `${what} can't be used: ${why}`)
  }
}
