import { expect, it } from 'vitest'
import { runSeed } from './run-seed.ts'

const seeds = Number(process.env.WHERRY_SEEDS || 100)
const first = Number(process.env.WHERRY_FIRST_SEED || 1)
/** Goes on after a failing seed, to count them. */
const all = process.env.WHERRY_HOSTILE_ALL !== undefined

it('X9, X3, R20: whatever a hostile server does, the client lives, leaks nothing, shows no secret, and is right again once it behaves', async () => {
  const failed: string[] = []
  for (let seed = first; seed < first + seeds; seed++) {
    try {
      await runSeed(seed)
    } catch (error) {
      const replay = `WHERRY_SEEDS=1 WHERRY_FIRST_SEED=${seed} npx vitest run test/hostile/hostile.random.test.ts`
      failed.push(`seed ${seed} fails:\n${(error as Error).message}\nreplay: ${replay}`)
      if (!all) break
    }
  }
  expect(failed.join('\n\n')).toBe('')
})
