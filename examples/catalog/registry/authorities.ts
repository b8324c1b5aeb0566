import { X509Certificate } from 'node:crypto'
import { RegistryError } from './errors.ts'

/**
 * The certificates in a text of PEM, one by one: Node silently takes none from a text without line breaks between its certificates.
 *
 * @throws RegistryError if there is none
 */
export function authoritiesOf(pem: string): string[] {
  const end = '-----END CERTIFICATE-----'
  const found = pem.split(/(?=-----BEGIN )/).flatMap(block => {
    const at = block.startsWith('-----BEGIN CERTIFICATE-----') ? block.indexOf(end) : -1
    const certificate = block.slice(0, at + end.length)
    return at >= 0 && isReadable(certificate) ? [certificate] : []
  })
  if (found.length > 0) return found
  throw new RegistryError('InvalidCaBundle', 'no certificate of the CA can be read: it must be PEM')
}

function isReadable(certificate: string): boolean {
  try {
    new X509Certificate(certificate)
    return true
  } catch {
    return false
  }
}
