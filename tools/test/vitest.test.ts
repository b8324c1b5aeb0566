import { expect, it } from 'vitest'
import { judge, type Report, slowFiles } from './vitest.ts'

const ok = { code: 0, timedOut: false }

function report(...statuses: string[]): Report {
  const count = (status: string): number => statuses.filter(one => one === status).length
  return {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    testResults: [
      {
        name: 'a.test.ts',
        status: count('failed') > 0 ? 'failed' : 'passed',
        assertionResults: statuses.map((status, index) => ({ fullName: `test ${index}`, status })),
      },
    ],
  }
}

it('counts what passed and names what failed', () => {
  expect(judge(report('passed', 'failed', 'passed'), { code: 1, timedOut: false }, { ci: false })).toMatchObject({
    passed: 2,
    failures: ['test 1'],
  })
})

it('fails a skipped test in CI and only mentions it elsewhere', () => {
  const skipping = report('passed', 'pending', 'todo')
  expect(judge(skipping, ok, { ci: true }).failures).toEqual(['skipped: test 1', 'skipped: test 2'])
  expect(judge(skipping, ok, { ci: false })).toEqual({ passed: 1, failures: [], notes: ['2 skipped'] })
})

it('fails a suite without a test', () => {
  expect(judge(report(), ok, { ci: false }).failures).toEqual(['no tests'])
})

it('fails a file that could not be run', () => {
  const broken: Report = {
    ...report(),
    testResults: [
      { name: 'a.test.ts', status: 'passed', assertionResults: [{ fullName: 'a', status: 'passed' }] },
      { name: 'b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    ],
  }
  expect(judge(broken, { code: 1, timedOut: false }, { ci: false }).failures).toEqual(['b.test.ts: no such module'])
})

it('fails a run that ended badly though every test passed, broke off, or overran', () => {
  expect(judge(report('passed'), { code: 1, timedOut: false }, { ci: false }).failures).toHaveLength(1)
  expect(judge(undefined, { code: 134, timedOut: false }, { ci: false }).failures).toEqual([
    'vitest broke off (exit 134)',
  ])
  expect(judge(report('passed'), { code: undefined, timedOut: true }, { ci: false }).failures).toEqual([
    'the suite overran its time limit',
  ])
})

it('names the files that take more than 5 s, the slowest first', () => {
  const file = (name: string, ms: number) => ({
    name,
    status: 'passed',
    startTime: 1,
    endTime: 1 + ms,
    assertionResults: [],
  })
  const testResults = [file('a.test.ts', 5_100), file('b.test.ts', 4_900), file('c.test.ts', 61_000)]
  expect(slowFiles({ ...report(), testResults })).toEqual(['slow: 61.0 s in c.test.ts', 'slow: 5.1 s in a.test.ts'])
})
