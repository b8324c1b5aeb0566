import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe } from 'vitest'
import { cacheOverSockets } from './testkit/both-servers.ts'

/** How many times a definition comes and goes. Views are started and removed ten times as often. */
const definitions = Number(process.env.WHERRY_SEEDS ?? 2)

const available = await realApiServerAvailable('the dynamic cache')

describe.runIf(available)('a dynamic cache on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await sharedRealServer()
  })

  cacheOverSockets(() => server, { cycles: 10 * definitions, views: 25, definitions })
})
