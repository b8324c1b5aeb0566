import { defineConfig, mergeConfig, type ViteUserConfig } from 'vitest/config'
import { base } from '../vitest/base.ts'

/**
 * The tests that are to notice a change, those in memory among them: what opens sockets or starts processes is too slow for hundreds of runs.
 *
 * A change often makes a test wait for what never comes. That test is to fail long before Stryker would end the whole
 * process, but long after it would pass: the slowest take a second.
 */
const config: ViteUserConfig = mergeConfig(
  base,
  defineConfig({
    test: {
      include: JSON.parse(process.env.WHERRY_MUTANTS_TESTS ?? '[]') as string[],
      exclude: ['**/*.{sockets,real,slow}.test.ts'],
      // A changed copy has seconds for all its tests, and most changes are noticed within a few runs.
      env: { WHERRY_CLOSING_MS: '3000', WHERRY_SEED_SHARE: '0.05', WHERRY_PROPERTY_RUNS: '60' },
      testTimeout: 15_000,
      hookTimeout: 15_000,
      maxWorkers: 1,
      isolate: false,
    },
  }),
)

export default config
