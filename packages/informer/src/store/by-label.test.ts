import { expect, it } from 'vitest'
import { byLabel } from './by-label.ts'

it('R35: gives the value of its label, and nothing for what has none', () => {
  const of = byLabel('app.example.com/name')
  const given = (object: unknown): string[] => [...of(object)]
  expect(of.label).toBe('app.example.com/name')
  expect(given({ metadata: { labels: { 'app.example.com/name': 'web', tier: 'front' } } })).toEqual(['web'])
  expect(given({ metadata: { labels: { 'app.example.com/name': '' } } })).toEqual([''])
  for (const none of [{ metadata: { labels: { tier: 'front' } } }, { metadata: {} }, {}, null]) {
    expect(given(none)).toEqual([])
  }
})

it('X5: takes what every object has for no label', () => {
  expect([...byLabel('constructor')({ metadata: { labels: {} } })]).toEqual([])
})

it.each(['', 'a b', 'a/b/c', '-x'])('X1: refuses %j, which can be no label’s key', label => {
  expect(() => byLabel(label)).toThrow(expect.objectContaining({ message: expect.stringMatching(/^label/) }))
})
