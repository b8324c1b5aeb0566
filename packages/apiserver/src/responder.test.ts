import { describe, expect, it } from 'vitest'
import { askHttp1, askHttp2, http2Client } from './front/testkit/clients.ts'
import { startEmbeddedApiServer } from './start-embedded.ts'
import { cm, withServer } from './testkit/in-memory.ts'
import { warningHeaders } from './warning-headers.ts'

describe('warnings', () => {
  it('F1: a warning with other characters than those of Latin-1 arrives as its bytes of UTF-8, on HTTP/2 and HTTP/1.1', async () => {
    await using server = await startEmbeddedApiServer({ clusterObjects: false })
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const ask = (name: string) => ({
      ...{ method: 'POST', path: cm, headers },
      body: Buffer.from(JSON.stringify({ metadata: { name }, 'spiel ♟': 1 })),
    })
    const session = http2Client(server.url, { ca: server.ca })
    try {
      const answers = [await askHttp2(session, ask('a')), await askHttp1(server.url, { ...ask('b'), ca: server.ca })]
      for (const { status, headers } of answers) {
        const text = Buffer.from(`${headers.warning}`, 'latin1').toString()
        expect([status, text]).toEqual([201, String.raw`299 - "unknown field \"spiel ♟\""`])
      }
    } finally {
      session.destroy()
    }
  })

  it('F1: many long warnings are cut off, and the last ones left out, as on a real server', () =>
    withServer(async ({ call }) => {
      const fields = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field${i}${'x'.repeat(500)}`, i]))
      const { status, headers } = await call('POST', cm, { metadata: { name: 'a' }, ...fields })
      const warnings = headers.warning as readonly string[]
      expect([status, warnings.length]).toEqual([201, 16])
      expect(warnings[0]).toMatch(/^299 - "unknown field \\"field0x+"$/)
    }))

  it('F1: a warning with control characters is left out', () => {
    expect(warningHeaders(['a\nb', 'c\u007f', 'a "b"', ''])).toEqual([String.raw`299 - "a \"b\""`])
  })
})
