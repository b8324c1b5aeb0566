import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { emptying } from './testkit/emptying.ts'
import { judging } from './testkit/judging.ts'
import { applyOnAServer } from './testkit/on-a-server.ts'

describe('apply, on an embedded server', () => {
  let server: EmbeddedApiServer

  beforeAll(async () => {
    server = (await startApiServer()) as EmbeddedApiServer
  })

  afterAll(() => server.close())

  judging(() => server)
  emptying(() => server)
  applyOnAServer(() => server)
})
