import { describe, expect, it } from 'vitest'
import { goPattern, goPatternProblem } from './pattern.ts'

describe('F1: a pattern', () => {
  it.for(['^(a+)+$', '^(a|aa)+$', '^([a-z]+)*[A-Z]$', '(x+x+)+y', '^(.*)*$\\z'])(
    'gives an answer in time, however a text was chosen: %s',
    source => {
      // JavaScript's own expressions do not end before the machine does.
      for (const letter of ['a', 'x'])
        expect(goPattern(source)?.test(`${letter.repeat(5000)}!`)).toBe(source.includes('.*'))
    },
  )

  it.for([
    ['^[[:alpha:]]+$', 'ab', 'a1'],
    ['^\\pL+$', 'aé', '1'],
    ['^(?P<first>a)(?i)b$', 'aB', 'AB'],
    ['\\Aa\\z', 'a', 'a\n'],
    ['^\\Qa.b\\E$', 'a.b', 'axb'],
    ['a', 'xax', 'x'],
    ['^.$', '\u{1F600}', 'ab'],
    ['(?s)^a.b$', 'a\nb', 'a\n\nb'],
  ])('means what it means to Go: %s', ([source, match, other]) => {
    expect([
      goPattern(source as string)?.test(match as string),
      goPattern(source as string)?.test(other as string),
    ]).toEqual([true, false])
  })

  it.for(['(?=a)', '(?<!a)', '(a)\\1', 'a(', '[z-a]', 'a**'])('is refused if Go refuses it: %s', source => {
    expect(goPatternProblem(source)).toMatch(/^error parsing regexp: /)
  })
})
