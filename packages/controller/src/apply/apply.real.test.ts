import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe } from 'vitest'
import { emptying } from './testkit/emptying.ts'
import { judging } from './testkit/judging.ts'
import { applyOnAServer } from './testkit/on-a-server.ts'
import { remaking } from './testkit/remaking.ts'

const available = await realApiServerAvailable('apply')

describe.runIf(available)('apply, on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await sharedRealServer()
  })

  judging(() => server)
  emptying(() => server)
  applyOnAServer(() => server)
  remaking(() => server)
})
