import { startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { describe } from 'vitest'
import { testServerMigrations } from './testkit/server-migrations.ts'

const available = await realApiServerAvailable('migrations by the server itself')

describe.runIf(available)('on a real API server', () => {
  testServerMigrations(() => startApiServer({ kind: 'real', controllers: false }))
})
