import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe } from 'vitest'
import { testServerMigrations } from './testkit/server-migrations.ts'

const available = await realApiServerAvailable('migrations by the server itself')

describe.runIf(available)('on a real API server', () => {
  let server: RealApiServer
  beforeAll(async () => {
    server = await sharedRealServer()
  })

  testServerMigrations(() => server)
})
