import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe } from 'vitest'
import { readsOverSockets } from './testkit/both-servers.ts'

const available = await realApiServerAvailable('tracked reads')

describe.runIf(available)('tracked reads on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await sharedRealServer()
  })

  readsOverSockets(() => server, 3)
})
