import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { cacheOverSockets } from './testkit/both-servers.ts'

let server: EmbeddedApiServer

beforeAll(async () => {
  server = (await startApiServer({ reinitialiseMs: 50, authorization: 'RBAC' })) as EmbeddedApiServer
})

afterAll(() => server.close())

describe('a dynamic cache over sockets', () => {
  cacheOverSockets(() => server, { cycles: 20, views: 50, definitions: 3 })
})
