import { defineConfig } from 'vitest/config'
import { base } from './tools/vitest/base.ts'
import { LongestFirst } from './tools/vitest/sequencer.ts'

/** Tests that measure the memory of a process: each file has one of its own, where a full collection takes milliseconds. */
const heap = [
  'packages/*/src/**/*.slow.test.ts',
  'packages/transform-cache/src/memory/*.test.ts',
  'examples/bundles/bundle/yaml-thread.test.ts',
]
const others = ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts']
/** What only a real API server can show. A run may leave it out: `npm test` does, `npm test -- --all` does not. */
const real = process.env.WHERRY_REAL === 'false' ? ['**/*.real.test.ts'] : []
const never = [...(base.test?.exclude ?? []), ...real]

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          // What takes more than this machine may have is run by hand: `npm run soak`.
          include: [...others, ...(process.env.WHERRY_SOAK === undefined ? [] : ['test/**/*.soak.ts'])],
          exclude: [...never, ...heap],
          // Tests keep no global state: files share their worker's modules. To load them anew takes a third to a half of the time.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'heap', include: heap, isolate: true } },
    ],
  },
})
