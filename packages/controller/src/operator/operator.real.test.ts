import { type RealApiServer, startRealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, beforeAll, describe } from 'vitest'
import { operatorOverSockets } from './testkit/both-servers.ts'
import { whatReconcilesAreTold } from './testkit/what-is-told.ts'

const available = await realApiServerAvailable('operators')

describe.runIf(available)('an operator, on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await startRealApiServer()
  })

  afterAll(() => server?.close())

  operatorOverSockets(() => server)
  whatReconcilesAreTold(() => server)
})
