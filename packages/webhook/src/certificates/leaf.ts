import { type Authority, backdatedMs } from './authority.ts'
import { issue, newKeys } from './x509.ts'

/** A serving certificate, which its replica alone has. */
export interface Leaf {
  /** PEM. */
  readonly cert: string
  /** PEM (PKCS #8). A secret, which is only in memory. */
  readonly key: string
  readonly signer: Authority
  readonly notBefore: number
  readonly notAfter: number
  /** The time of its replacement, when half of its life is over. */
  readonly renewAt: number
}

/** Makes a serving certificate for names and addresses. The certificate does not outlive its signer. */
export function newLeaf(signer: Authority, names: readonly string[], now: number, servingMs: number): Leaf {
  const { privateKey, publicKey } = newKeys()
  const notBefore = now - backdatedMs
  const notAfter = Math.min(now + servingMs, signer.notAfter)
  const cert = issue({ subject: 'wherry-webhook', publicKey, notBefore, notAfter, names }, signer)
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { cert, key, signer, notBefore, notAfter, renewAt: now + (notAfter - now) / 2 }
}
