import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { trustOnAServer } from './testkit/trust-scenes.ts'

describe('the trust in webhooks on the embedded server', () => {
  let server: EmbeddedApiServer

  beforeAll(async () => {
    server = await startApiServer()
  })

  afterAll(() => server.close())

  trustOnAServer(() => server)
})
