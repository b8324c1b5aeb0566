import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { conversionsOnAServer } from './testkit/conversion/scenes.ts'

describe('conversions on the embedded server', () => {
  let server: EmbeddedApiServer

  beforeAll(async () => {
    server = await startApiServer()
  })

  afterAll(() => server.close())

  conversionsOnAServer(() => server)
})
