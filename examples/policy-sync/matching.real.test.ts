import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { describe } from 'vitest'
import { testMatching } from './testkit/matching.ts'

const available = await realApiServerAvailable('what constraints match on a real API server')

describe.runIf(available)('what constraints match on a real API server', () => {
  testMatching(sharedRealServer)
})
