import { expect, it } from 'vitest'
import { percent, scoreOf } from './score.ts'

it('counts what was noticed, names what was not, and leaves the rest out', () => {
  const mutant = (status: string, line: number) => ({
    status,
    mutatorName: 'Block',
    replacement: '{}\n',
    location: { start: { line } },
  })
  const mutants = [
    ...['Killed', 'Timeout', 'Survived', 'NoCoverage', 'CompileError', 'Ignored'].map(mutant),
    { ...mutant('Killed', 6), statusReason: 'Test timed out in 10000ms.' },
  ]
  const score = scoreOf({ files: { 'a.ts': { mutants } } })
  expect(score).toEqual({
    detected: 3,
    late: 2,
    total: 5,
    survivors: ['a.ts:2 Survived: Block → {}', 'a.ts:3 NoCoverage: Block → {}'],
  })
  expect(percent(score)).toBe('60.0 % (3 of 5, 2 by a time-out)')
  expect(percent({ detected: 0, late: 0, total: 0 })).toBe('no mutants')
})
