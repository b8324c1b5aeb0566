import { publishedPackages } from '../workspace.ts'
import { bin, command } from './command.ts'
import { fromCommand, type Step } from './step.ts'
import { suite } from './vitest.ts'

/** All that `npm test` does, in its order: what is quick to tell first. */
export function steps(): Step[] {
  return [
    {
      name: 'format',
      limitMs: 60_000,
      run: async () =>
        fromCommand(await command(bin('biome'), ['check', '--error-on-warnings', '--max-diagnostics=30'])),
    },
    { name: 'types', limitMs: 300_000, run: types },
    suite('tools', ['tools/'], 300_000),
    suite('unit', ['packages/'], 600_000),
    suite('integration', ['test/'], 600_000),
  ]
}

/** Each package by its own tsconfig, then tools, tests and examples by the one at the root. */
async function types(): Promise<{ passed: number; failures: string[] }> {
  let passed = 0
  const failures: string[] = []
  for (const folder of [...publishedPackages().map(one => one.folder), '.']) {
    const ended = await command(bin('tsc'), ['-p', folder, '--noEmit'])
    if (ended.code === 0) passed += 1
    else failures.push(ended.output.trim())
  }
  return { passed, failures }
}
