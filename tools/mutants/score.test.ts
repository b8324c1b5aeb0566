import { expect, it } from 'vitest'
import { percent, scoreOf } from './score.ts'

it('counts what was noticed, names what was not, and leaves the rest out', () => {
  const mutant = (status: string, line: number) => ({
    status,
    mutatorName: 'Block',
    replacement: '{}\n',
    location: { start: { line } },
  })
  const mutants = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'CompileError', 'Ignored'].map(mutant)
  const score = scoreOf({ files: { 'a.ts': { mutants } } })
  expect(score).toEqual({
    detected: 2,
    total: 4,
    survivors: ['a.ts:2 Survived: Block → {}', 'a.ts:3 NoCoverage: Block → {}'],
  })
  expect(percent(score)).toBe('50.0 % (2 of 4)')
  expect(percent({ detected: 0, total: 0 })).toBe('no mutants')
})
