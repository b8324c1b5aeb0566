import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createCertificateAuthority } from '../front/certificates.ts'
import { post } from './post.ts'

describe('a call of a webhook', () => {
  it('F1: trusts a bundle that holds the certificate itself, and no other certificate', async () => {
    const authority = createCertificateAuthority()
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

  it.each([
    [307, 'POST {}'],
    [308, 'POST {}'],
    [301, 'GET '],
    [302, 'GET '],
    [303, 'GET '],
  ])("F1: follows a %i as Go's client does, ten requests in all", async (status, then) => {
    const authority = createCertificateAuthority()
    const { certPem, keyPem } = authority.issueServer()
    const asked: string[] = []
    const elsewhere: Readonly<Record<string, string>> = { ftp: 'ftp://example.com/x', bad: 'https://[bad' }
    const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
      const [, left = ''] = (request.url ?? '').split('/')
      let body = ''
      request.on('data', chunk => {
        body += chunk
      })
      request.on('end', () => {
        asked.push(`${request.method} ${body}`)
        const location = elsewhere[left] ?? String(Number(left) - 1)
        if (left !== '0') response.writeHead(status, left === 'nowhere' ? {} : { location })
        response.end('end')
      })
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const send = (path: string): ReturnType<typeof post> =>
      post(`${url}/${path}`, '{}', authority.caPem, new AbortController().signal)
    try {
      expect(await send('9')).toMatchObject({ status: 200, text: 'end' })
      expect(asked).toEqual(['POST {}', ...Array.from({ length: 9 }, () => then)])
      expect(await send('11')).toEqual({ failure: 'stopped after 10 redirects', at: '1' })
      expect(asked).toHaveLength(20)
      expect(await send('nowhere')).toMatchObject({ status, text: 'end' })
      expect(await send('ftp')).toEqual({ failure: 'unsupported protocol scheme "ftp"', at: 'ftp://example.com/x' })
      expect(await send('bad')).toEqual({
        failure: 'failed to parse Location header "https://[bad"',
        at: `${url}/bad`,
      })
    } finally {
      await new Promise(resolve => server.close(resolve))
    }
  })
})
