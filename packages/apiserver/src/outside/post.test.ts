import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createCertificateAuthority } from '../front/certificates.ts'
import { post } from './post.ts'

describe('a call of a webhook', () => {
  it('F1: trusts a bundle that holds the certificate itself, and no other certificate', async () => {
    const authority = await createCertificateAuthority()
    const { certPem, keyPem } = authority.issueServer()
    const server = createServer({ cert: certPem, key: keyPem }, (_, response) => response.end('yes'))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const asked = (ca: string): ReturnType<typeof post> => post(url, '{}', ca, new AbortController().signal)
    try {
      expect(await asked(authority.caPem)).toMatchObject({ status: 200, text: 'yes' })
      expect(await asked(certPem)).toMatchObject({ status: 200, text: 'yes' })
      expect(await asked(authority.issueServer().certPem)).toEqual({
        failure: 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
      })
    } finally {
      await new Promise(resolve => server.close(resolve))
    }
  })
})
