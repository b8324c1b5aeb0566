import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take longest, the longest first. They begin first, so that none is left running alone at the end. A fresh clone
 * has no record of how long its files take, and a missing file costs time and nothing else.
 */
const longest = [
  'examples/bundles/operator.test.ts',
  'test/examples/others.real.test.ts',
  'test/demo/demo.test.ts',
  'examples/policy-sync/cycles.real.test.ts',
  'test/migrator/migrator.test.ts',
  'examples/policy-sync/definitions.real.test.ts',
  'packages/testing/src/real/real-apiserver.test.ts',
  'packages/controller/src/leader/leader-election.real.test.ts',
  'test/examples/policy-sync.real.test.ts',
  'test/examples/others.embedded.test.ts',
  'test/examples/killed.test.ts',
  'test/bench/benches/copies/manifests.real.test.ts',
  'test/examples/small.test.ts',
  'test/operator/first-week/policy.test.ts',
  'test/examples/copied-resources.real.test.ts',
  'test/hostile/hostile.random.test.ts',
]

/** The longest files first, then those on a real API server, which wait much, then the others. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId }: TestSpecification): number => {
      const known = longest.findIndex(name => moduleId.endsWith(`/${name}`))
      if (known !== -1) return known
      return longest.length + (moduleId.endsWith('.real.test.ts') ? 0 : 1)
    }
    return sorted.sort((one, other) => place(one) - place(other))
  }
}
