import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { describe } from 'vitest'
import { testDefinitionChanges } from './testkit/definition-changes.ts'

const available = await realApiServerAvailable('policy-sync with definitions that change on a real API server')

describe.runIf(available)('policy-sync with definitions that change on a real API server', () => {
  testDefinitionChanges(sharedRealServer)
})
