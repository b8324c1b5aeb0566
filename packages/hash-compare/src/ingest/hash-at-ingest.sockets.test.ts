import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { hashParts, parts } from '../parts/parts.ts'
import { specPart } from '../parts/spec-part.ts'
import { hashAtIngest } from './hash-at-ingest.ts'

it('H3: sees an edit by hand in the observed object, whatever an annotation claims, with no read of the object', async () => {
  const content = parts({ spec: specPart() })
  const hashed = configMaps.project(...hashAtIngest(content))
  const server = await startApiServer({ tls: false })
  const client = new Client({ url: server.url, token: server.token })
  const key = { name: 'a', namespace: 'default' }
  const created = await client.create(configMaps, {
    metadata: { ...key, annotations: { claim: 'as desired' } },
    data: { k: '1' },
  })
  const desired = hashParts(created, content)
  const reported: boolean[] = []
  for await (const event of client.watch(hashed.within({ fields: { 'metadata.name': 'a' } }))) {
    if (event.type === 'BOOKMARK') await client.patch(configMaps, key, { data: { k: '2' } })
    else reported.push(event.object.hashes.spec === desired.spec)
    if (reported.length === 2) break
  }
  expect(reported).toEqual([true, false])
  const { byVerb } = await server.stats()
  expect([byVerb.get?.configmaps?.requests ?? 0, byVerb.list?.configmaps?.requests ?? 0]).toEqual([0, 0])
  await client.close()
  await server.close()
})
