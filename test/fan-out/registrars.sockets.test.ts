import { Client } from '@wherry/client'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { allowReader, reader, registrarsOverSockets } from './both-servers.ts'

let server: EmbeddedApiServer

beforeAll(async () => {
  const tokens = { [reader.token]: { name: reader.name, groups: [] } }
  server = (await startApiServer({ authorization: 'RBAC', tokens, reinitialiseMs: 50 })) as EmbeddedApiServer
  const { url, ca, token } = server
  await using client = new Client({ url, ca, token })
  await allowReader(client, 'configmaps')
})

afterAll(() => server.close())

describe('registrars over a dynamic cache, over sockets', () => {
  registrarsOverSockets(() => server, { definitions: 3 })
})
