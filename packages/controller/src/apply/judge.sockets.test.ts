import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { judging } from './testkit/judging.ts'

describe('the judge, on an embedded server', () => {
  let server: EmbeddedApiServer

  beforeAll(async () => {
    server = (await startApiServer()) as EmbeddedApiServer
  })

  afterAll(() => server.close())

  judging(() => server)
})
