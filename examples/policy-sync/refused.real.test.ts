import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { describe } from 'vitest'
import { testRefusedKinds } from './testkit/refused-kinds.ts'

const available = await realApiServerAvailable('policy-sync with kinds that are refused on a real API server')

describe.runIf(available)('policy-sync with kinds that are refused, on a real API server', () => {
  testRefusedKinds(sharedRealServer)
})
