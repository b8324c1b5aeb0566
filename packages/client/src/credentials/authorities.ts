import { X509Certificate } from 'node:crypto'

/**
 * The certificates in a text of PEM, one by one. Node silently takes nothing from a text without line breaks between its certificates, and nothing
 * behind a broken one; here, as in Go, every certificate that can be read counts.
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
