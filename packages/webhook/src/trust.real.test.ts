import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe, it } from 'vitest'
import { renewalsUnderLoad } from './testkit/renewal-scene.ts'
import { trustOnAServer } from './testkit/trust-scenes.ts'

const available = await realApiServerAvailable('webhooks')

describe.runIf(available)('the trust in webhooks on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await sharedRealServer()
  })

  trustOnAServer(() => server)

  it(
    'B3: ten renewals under load, both authorities included, refuse no admission',
    () => renewalsUnderLoad(server),
    180_000,
  )
})
