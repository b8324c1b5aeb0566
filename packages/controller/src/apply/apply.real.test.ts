import { type RealApiServer, startRealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, beforeAll, describe } from 'vitest'
import { judging } from './testkit/judging.ts'
import { applyOnAServer } from './testkit/on-a-server.ts'
import { remaking } from './testkit/remaking.ts'

const available = await realApiServerAvailable('apply')

describe.runIf(available)('apply, on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await startRealApiServer()
  })

  afterAll(() => server?.close())

  judging(() => server)
  applyOnAServer(() => server)
  remaking(() => server)
})
