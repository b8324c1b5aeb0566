import { type ApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { readsOverSockets } from './testkit/both-servers.ts'

let server: ApiServer

beforeAll(async () => {
  server = await startApiServer()
})

afterAll(() => server.close())

describe('tracked reads over sockets', () => {
  readsOverSockets(() => server, 4)
})
