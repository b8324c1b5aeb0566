import { startApiServer } from '@wherry/testing'
import { describe } from 'vitest'
import { testRefusedKinds } from './testkit/refused-kinds.ts'

describe('policy-sync whose kinds are refused', () => {
  testRefusedKinds(() => startApiServer({ kind: 'embedded' }))
})
