import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe } from 'vitest'
import { operatorOverSockets } from './testkit/both-servers.ts'
import { whatReconcilesAreReported } from './testkit/reconcile-reports.ts'

const available = await realApiServerAvailable('operators')

describe.runIf(available)('an operator, on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await sharedRealServer()
  })

  operatorOverSockets(() => server)
  whatReconcilesAreReported(() => server)
})
