import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that play on a real API server take long and wait much: they come first, so that none is left running alone at the end. */
export class RealServersFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isReal = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('.real.test.ts')
    return [...sorted.filter(isReal), ...sorted.filter(file => !isReal(file))]
  }
}
