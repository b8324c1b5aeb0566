import { forEachSeed } from '@wherry/testing'
import { it } from 'vitest'
import { runSeed } from './run-seed.ts'

it('X9, X3, R20: whatever a hostile server does, the client lives, leaks nothing, shows no secret, and is right again once it behaves', async () => {
  await forEachSeed(runSeed, { seeds: 45 })
})
