import { type RealApiServer, startRealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, beforeAll, describe } from 'vitest'
import { copiesOnAServer } from './testkit/scenes.ts'

const available = await realApiServerAvailable('copies')

describe.runIf(available)('copies on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await startRealApiServer({ authorization: 'allow' })
  })

  afterAll(() => server?.close())

  copiesOnAServer(() => server)
})
