import { startApiServer } from '@wherry/testing'
import { describe } from 'vitest'
import { testRefusedKinds } from './testkit/refused-kinds.ts'

describe('policy-sync with kinds that are refused', () => {
  testRefusedKinds(() => startApiServer({ kind: 'embedded' }))
})
