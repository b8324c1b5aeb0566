import { startApiServer } from '@wherry/testing'
import { describe } from 'vitest'
import { testDefinitionChanges } from './testkit/definition-changes.ts'

describe('policy-sync with definitions that change', () => {
  testDefinitionChanges(() => startApiServer({ kind: 'embedded' }))
})
