import { defineConfig, mergeConfig, type ViteUserConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

/** In-memory tests of one package: what opens sockets or starts processes is too slow for hundreds of runs. */
const config: ViteUserConfig = mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({
    test: {
      include: [`packages/${process.env.WHERRY_MUTANTS_PACKAGE}/src/**/*.test.ts`],
      exclude: ['**/*.{sockets,real,slow}.test.ts'],
      maxWorkers: 1,
    },
  }),
)

export default config
