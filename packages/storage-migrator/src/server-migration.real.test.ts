import { type RealApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, beforeAll, describe } from 'vitest'
import { testServerMigrations } from './testkit/server-migrations.ts'

const available = await realApiServerAvailable('migrations by the server itself')

describe.runIf(available)('on a real API server', () => {
  let server: RealApiServer
  beforeAll(async () => {
    server = await startApiServer({ kind: 'real', controllers: false })
  })
  afterAll(() => server?.close())

  testServerMigrations(() => server)
})
