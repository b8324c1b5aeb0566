import { type ApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { copiesOnAServer } from './testkit/scenes.ts'

describe('copies over sockets', () => {
  let server: ApiServer

  beforeAll(async () => {
    server = await startApiServer()
  })

  afterAll(() => server.close())

  copiesOnAServer(() => server)
})
