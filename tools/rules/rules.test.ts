import { describe, expect, it } from 'vitest'
import { ruleIds, rulePages, rulesNamed } from './guarantees.ts'
import { type Claimant, judge, matrixLines } from './matrix.ts'

const known = ['F1', 'F2', 'X1', 'X2']
const named = (entries: Record<string, number>): Map<string, number> => new Map(Object.entries(entries))
const claimant = (name: string, claims: string[], tests: Record<string, number>): Claimant => ({
  name,
  claims,
  named: named(tests),
})
const none = named({})

describe('docs/guarantees', () => {
  it('holds every rule once, numbered without a gap', () => {
    const ids = ruleIds(rulePages())
    const letters = { R: 39, D: 13, W: 14, N: 15, T: 4, H: 10, C: 25, A: 13, M: 3, B: 4, S: 6, F: 5, K: 7, P: 9, X: 14 }
    expect(ids).toEqual(
      Object.entries(letters).flatMap(([letter, last]) => Array.from({ length: last }, (_, i) => `${letter}${i + 1}`)),
    )
  })
})

describe('rulesNamed', () => {
  it('finds the rules at the head of titles, in any quotes, alone or several', () => {
    const source = [
      "it('Q1: does this', () => {})",
      'it("Q1, Q20: does that", …)',
      'test.each([1, 2])(`Q3: takes %s`, …)',
      "describe(\n  'Q4: on a line of its own', …)",
      "it('mentions Q5: in the middle', …)",
      "it('Q6 without a colon', …)",
    ].join('\n')
    expect(Object.fromEntries(rulesNamed(source))).toEqual({ Q1: 2, Q20: 1, Q3: 1, Q4: 1 })
  })
})

describe('judge', () => {
  const client = claimant('client', ['X1'], { X1: 2 })
  const testing = claimant('testing', ['F1', 'F2'], { F1: 3 })

  it('asks for all that is claimed when nothing is named, and names what has no test', () => {
    expect(judge(known, [client, testing], none, { ids: [] })).toEqual({
      named: { F1: 3, F2: 0, X1: 2 },
      missing: ['F2'],
      reasons: ['F2 is claimed by testing, and no test there names it'],
    })
  })

  it('counts tests outside the packages for every package that claims the rule', () => {
    expect(judge(known, [testing], named({ F2: 1 }), { ids: ['F2'] })).toMatchObject({ named: { F2: 1 }, missing: [] })
  })

  it('does not let one package prove what another claims', () => {
    const both = [claimant('a', ['F1'], { F1: 1 }), claimant('b', ['F1'], {})]
    expect(judge(known, both, none, { ids: ['F1'] }).reasons).toEqual([
      'F1 is claimed by b, and no test there names it',
    ])
  })

  it('takes a letter for all its rules, those that nobody claims included', () => {
    expect(judge(known, [client], none, { ids: ['X'] }).missing).toEqual(['X2'])
  })

  it('takes a letter for the rules that the package claims, when one is named', () => {
    expect(judge(known, [client], none, { ids: ['X'], package: 'client' }).missing).toEqual([])
    expect(judge(known, [client], none, { ids: ['X2'], package: 'client' }).missing).toEqual(['X2'])
  })

  it.each([
    [{ ids: ['F9'] }, [client], 'there is no rule F9'],
    [{ ids: [], package: 'gone' }, [client], 'no package is called gone'],
    [{ ids: [] }, [claimant('a', ['Q1'], {})], 'a claims Q1: no such rule'],
    [{ ids: [] }, [claimant('a', [], { Q1: 1 })], 'tests of a name Q1: no such rule'],
  ])('refuses what it does not know: %j', (question, claimants, message) => {
    expect(() => judge(known, claimants, none, question)).toThrow(message)
  })
})

it('draws the matrix: counts, a cross for a claim without a test, a plus for one that shared tests prove', () => {
  const rows = [claimant('client', ['X1', 'F2'], { X1: 2 }), claimant('testing', ['F1'], {})]
  expect(matrixLines(rows, named({ F2: 4 }), ['F1', 'F2', 'X1'])).toEqual([
    '         F1 F2 X1',
    'client    ·  +  2',
    'testing   ✗  ·  ·',
    '(test)    ·  4  ·',
  ])
})
