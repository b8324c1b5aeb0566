import { defineConfig } from 'vitest/config'
import { repository, sourceAliases } from './tools/vitest/aliases.ts'

/** Tests run from source: the workspace's packages are aliased to their `src`, nothing has to be built first. */
export default defineConfig({
  root: repository,
  resolve: { alias: sourceAliases() },
  test: {
    include: [
      ...['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
      // What takes more than this machine may have is run by hand: `npm run soak`.
      ...(process.env.WHERRY_SOAK === undefined ? [] : ['test/**/*.soak.ts']),
    ],
    exclude: ['**/node_modules/**', '**/dist/**', '**/fixtures/**'],
    setupFiles: ['tools/vitest/setup.ts'],
    environment: 'node',
    env: { NODE_ENV: 'test' },
    retry: 0,
    allowOnly: process.env.CI === undefined,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 5_000,
    maxWorkers: 2,
    slowTestThreshold: 2_000,
  },
})
