import { type RealApiServer, startRealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, beforeAll, describe } from 'vitest'
import { readsOverSockets } from './testkit/both-servers.ts'

const available = await realApiServerAvailable('tracked reads')

describe.runIf(available)('tracked reads on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await startRealApiServer({ authorization: 'allow' })
  })

  afterAll(() => server?.close())

  readsOverSockets(() => server, 3)
})
