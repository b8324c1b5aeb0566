import { defineConfig } from 'vitest/config'
import { repository, sourceAliases } from './tools/vitest/aliases.ts'

/** Tests that measure the heap: each file has a process of its own, where a full collection takes milliseconds. */
const heap = ['packages/*/src/**/*.slow.test.ts', 'packages/transform-cache/src/memory/*.test.ts']
const others = ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts']
const never = ['**/node_modules/**', '**/dist/**', '**/fixtures/**']

/** Tests run from source: the workspace's packages are aliased to their `src`, nothing has to be built first. */
export default defineConfig({
  root: repository,
  resolve: { alias: sourceAliases() },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          // What takes more than this machine may have is run by hand: `npm run soak`.
          include: [...others, ...(process.env.WHERRY_SOAK === undefined ? [] : ['test/**/*.soak.ts'])],
          exclude: [...never, ...heap],
          // Unit tests keep no global state: files share their worker's modules. To load them anew takes half of the time.
          isolate: process.env.WHERRY_SHARED_MODULES !== 'true',
        },
      },
      { extends: true, test: { name: 'heap', include: heap, exclude: never, isolate: true } },
    ],
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
