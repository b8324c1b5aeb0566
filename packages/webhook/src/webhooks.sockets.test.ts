import { type ApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { webhooksOnAServer } from './testkit/scenes.ts'

describe('webhooks on the embedded server', () => {
  let server: ApiServer

  beforeAll(async () => {
    server = await startApiServer()
  })

  afterAll(() => server.close())

  webhooksOnAServer(() => server)
})
