import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { repository, sourceAliases } from './aliases.ts'

/** What all tests have in common. They run from source: the workspace's packages are aliased to their `src`, nothing has to be built first. */
export const base: ViteUserConfig = defineConfig({
  root: repository,
  resolve: { alias: sourceAliases() },
  test: {
    exclude: ['**/node_modules/**', '**/dist/**', '**/fixtures/**'],
    setupFiles: ['tools/vitest/setup.ts', 'tools/vitest/properties.ts'],
    environment: 'node',
    env: {
      NODE_ENV: 'test',
      // Programs that tests start read the same sources again and again: to strip and compile them takes each half a second.
      NODE_COMPILE_CACHE: join(repository, '.cache/compiled'),
      // Real servers live for seconds: a start takes a quarter less processor time if Go collects half as often as our default says.
      GOGC: process.env.GOGC ?? '400',
    },
    retry: 0,
    allowOnly: process.env.CI === undefined,
    // Reached only by what hangs, however busy the machine is. A test that takes longer says so.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 300_000,
    expect: { poll: { timeout: 300_000 } },
    // `npm test` runs two suites at once, on two cores in CI: tests that wait for a socket or a server leave processors idle.
    maxWorkers: 2,
    slowTestThreshold: 2_000,
  },
})
