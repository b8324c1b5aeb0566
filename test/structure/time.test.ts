import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../tools/workspace.ts'

/** Tests, what they lean on, and what examples verify of themselves. */
const patterns = [
  '{packages,test,examples,tools}/**/*.test.ts',
  '{packages,test,examples}/**/testkit/**/*.ts',
  'examples/**/verify.ts',
]
const files = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', '**/fixtures/**'] })
/** With what tests are made of elsewhere. */
const all = [
  ...files,
  ...globSync('test/{differential,examples,install,fan-out,hostile,replays}/**/*.ts', { cwd: root }),
]
const found = (pattern: RegExp, among = files): [file: string, text: string][] =>
  [...new Set(among)].flatMap(file =>
    [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map(([text]) => [file, text] as [string, string]),
  )

/** Where a clock of the machine is read, and why no result depends on how fast the machine is. */
const readers: Record<string, string> = {
  'examples/bundles/bundle/bundle.test.ts': 'compares the processor time of two sizes, with a wide margin',
  'examples/copied-resources/verify.ts': 'says how long things took, and checks none of it',
  'packages/copies/src/testkit/scenes.ts': 'a rate over the time that it took: a slow machine allows for more',
  'packages/testing/src/real/testkit/client.ts': 'a bound on what hangs',
  'packages/testing/src/simulate/simulate.test.ts': 'compares the processor time of two sizes, with a wide margin',
  'packages/testing/src/testkit/growth.ts': 'compares the processor time of two sizes, with a wide margin',
  'packages/work-queue/src/clock.test.ts': 'a least time: a slow machine takes longer',
  'test/bench/harness/pauses.test.ts': 'least times: a slow machine takes longer',
  'test/hostile/costs.test.ts': 'compares processor times, with a wide margin',
  'test/differential/differential.test.ts': 'a bound on what hangs',
}

it('reads no clock of the machine in a test, but where no result depends on how fast it is', () => {
  const reading = new Set(found(/\b(performance\.now|Date\.now|process\.hrtime|process\.cpuUsage)\b/g).map(([f]) => f))
  reading.delete('test/structure/time.test.ts')
  expect([...reading].sort()).toEqual(Object.keys(readers).sort())
})

it('waits in tests until something happens: only what hangs comes to the end of its time', () => {
  const bounds = /\b(?:(?:timeout|testTimeout|hookTimeout):|\w*[wW]ithinMs(?:: number)? =) *([\d_]+)/g
  const short = found(bounds, all).filter(([, text]) => Number(text.replace(/\D/g, '')) < 60_000)
  // An option that does not exist, and its refusal is tested.
  expect(short.filter(([, text]) => text !== 'timeout: 1')).toEqual([])
})
