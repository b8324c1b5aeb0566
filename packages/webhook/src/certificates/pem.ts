import { X509Certificate } from 'node:crypto'

/** A certificate that can be trusted. */
export interface Trusted {
  readonly cert: string
  readonly fingerprint: string
  readonly notAfter: number
}

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** The certificates of a PEM. Other blocks are left out. */
export function certificatesOf(pem: string): readonly Trusted[] {
  return Array.from(pem.matchAll(block), ([text]) => trusted(text)).filter(one => one !== undefined)
}

function trusted(text: string): Trusted | undefined {
  try {
    const parsed = new X509Certificate(text)
    return {
      cert: parsed.toString(),
      fingerprint: parsed.fingerprint256,
      notAfter: parsed.validToDate.getTime(),
    }
  } catch {
    return undefined
  }
}

/** Whether an authority has signed the certificate, or an intermediate certificate in the chain. */
export function isSignedBy(chain: string, authorities: readonly Trusted[]): boolean {
  const parsed = Array.from(chain.matchAll(block), ([text]) => new X509Certificate(text))
  return authorities.some(({ cert }) => {
    const authority = new X509Certificate(cert)
    return parsed.some(one => one.checkIssued(authority) && one.verify(authority.publicKey))
  })
}
