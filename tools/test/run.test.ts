import { expect, it } from 'vitest'
import { runSteps } from './run.ts'
import type { Found, Step } from './step.ts'

const step = (name: string, run: () => Promise<Found>, limitMs = 5_000): Step => ({ name, limitMs, run })
const passing = (passed: number): Step => step('good', async () => ({ passed, failures: [] }))

async function lines(...steps: Step[]): Promise<{ failed: number; out: string[] }> {
  const out: string[] = []
  const { failed } = await runSteps(steps, { whole: true, isNamed: false, ci: false, propertySeed: 7 }, line =>
    out.push(line.replace(/\d+\.\d s$/, 'T s')),
  )
  return { failed, out }
}

it('ends with one line that sums all steps up', async () => {
  const bad = step('bad', async () => ({ passed: 2, failures: ['first', 'second'], notes: ['a note'] }))
  expect(await lines(passing(3), bad)).toEqual({
    failed: 2,
    out: [
      'good           ok              3 T s',
      'bad            FAILED     2 of 4 T s',
      '    a note',
      '    first',
      '    second',
      'failed: bad (one alone: npm test -- --only bad)',
      'seed of the property tests: 7 (the same again: npm test -- --seed 7)',
      '5 passed, 2 failed',
    ],
  })
})

it('counts a step that throws as a failure and goes on', async () => {
  const broken = step('broken', async () => {
    throw new Error('could not start')
  })
  const { failed, out } = await lines(broken, passing(1))
  expect(failed).toBe(1)
  expect(out.join('\n')).toContain('could not start')
  expect(out.at(-1)).toBe('1 passed, 1 failed')
})

it('counts a step that tested nothing as a failure', async () => {
  expect((await lines(passing(0))).failed).toBe(1)
})

it('counts a step that overruns its limit as a failure', async () => {
  const { out } = await lines(step('slow', () => new Promise(() => undefined), 20))
  expect(out).toContain('    took longer than 0.02 s')
  expect(out.at(-1)).toBe('0 passed, 1 failed')
})

it('runs two steps at a time, and one that is alone by itself', async () => {
  const log: string[] = []
  let running = 0
  const noted = (name: string, alone = false): Step => ({
    ...step(name, async () => {
      log.push(`${name} beside ${running}`)
      running += 1
      await new Promise(resolve => setImmediate(resolve))
      running -= 1
      return { passed: 1, failures: [] }
    }),
    alone,
  })
  const { failed } = await lines(noted('a'), noted('b'), noted('c'), noted('d', true), noted('e'))
  expect(failed).toBe(0)
  expect(log).toEqual([
    'a beside 0',
    'b beside 1',
    expect.stringMatching(/^c beside [01]$/),
    'd beside 0',
    'e beside 0',
  ])
})
