import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe } from 'vitest'
import { conversionsOnAServer } from './testkit/conversion/scenes.ts'

const available = await realApiServerAvailable('webhooks')

describe.runIf(available)('conversions on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await sharedRealServer()
  })

  conversionsOnAServer(() => server)
})
