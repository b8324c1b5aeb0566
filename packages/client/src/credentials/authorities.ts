import { X509Certificate } from 'node:crypto'

/**
 * The certificates in a PEM text, one by one. Node silently ignores a text without line breaks between its certificates, and the certificates
 * after a broken one; here, as in Go, every valid certificate counts.
 */
export function authoritiesOf(pem: string): string[] {
  return pem.split(/(?=-----BEGIN )/).flatMap(block => {
    const [, label] = /^-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----/.exec(block) ?? []
    const end = `-----END ${label}-----`
    const at = label === undefined ? -1 : block.indexOf(end)
    if (at < 0) return []
    const certificate = block.slice(0, at + end.length)
    try {
      new X509Certificate(certificate)
      return [certificate]
    } catch {
      return []
    }
  })
}
