import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidNameError } from '../errors/invalid-name.ts'
import { isInvalidOption } from '../errors/option.ts'
import { LabelSelector, type LabelSelectorInput } from './label-selector.ts'

describe('label selectors', () => {
  it.each([
    ['', ''],
    ['   ', ''],
    ['a=b', 'a=b'],
    [' a == b ', 'a=b'],
    ['a!=b', 'a!=b'],
    ['a', 'a'],
    ['!a', '!a'],
    ['! a', '!a'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['x in (b, a)', 'x in (a,b)'],
    ['x in (a)', 'x=a'],
    ['x notin (a)', 'x!=a'],
    ['x notin(a,b)', 'x notin (a,b)'],
    ['x in (,)', 'x='],
    ['x in (a,)', 'x in (,a)'],
    ['x in (,a)', 'x in (,a)'],
    ['x in (a,,b)', 'x in (,a,b)'],
    ['x in (a,a)', 'x=a'],
    ['in', 'in'],
    ['notin', 'notin'],
    ['in in (in)', 'in=in'],
    ['in=notin', 'in=notin'],
    ['x>5', 'x>5'],
    ['x < 5', 'x<5'],
    ['b=1,a=2', 'a=2,b=1'],
    ['a=1,a=1', 'a=1'],
    ['k.io/x=a\n,\tb', 'b,k.io/x=a'],
    ['a=b\0,c=d', 'a=b'],
  ])('reads %j as the API server does', (given, normal) => {
    expect(LabelSelector.of(given).text).toBe(normal)
  })

  it.each([
    ',',
    'a,',
    ',a',
    'a=b,',
    'a b',
    'a=b c',
    'a!',
    '!',
    '!!a',
    '!a=b',
    '=a',
    'a=!b',
    'a===b',
    'a=>b',
    'a<>b',
    'x in',
    'x in a',
    'x in (a',
    'x in ()',
    'x in (a b)',
    'x in (a),',
    'x notin ()',
    '(a)',
    'a in (b=c)',
    'x>',
    'x>a',
    'x>-1',
    'x>1.5',
    'x<99999999999999999999',
    'a=-',
    '-a=b',
    'a=b/c',
    'x in (a,-)',
    'a/b/c',
  ])('X6: refuses %j with a code and the accepted forms', given => {
    let refused: unknown
    try {
      LabelSelector.of(given, 'within.labels')
    } catch (error) {
      refused = error
    }
    expect(refused).toBeInstanceOf(RangeError)
    if (!(refused instanceof InvalidNameError)) {
      expect(refused).toMatchObject({ code: 'INVALID_OPTION', option: 'within.labels', takes: expect.any(String) })
    }
  })

  it.each<[LabelSelectorInput, string]>([
    [{}, ''],
    [{ app: 'web', a: '' }, 'a=,app=web'],
    [{ matchLabels: { app: 'web' } }, 'app=web'],
    [{ matchLabels: 'x' }, 'matchLabels=x'],
    [{ matchLabels: undefined }, ''],
    [{ matchLabels: undefined, matchExpressions: undefined }, ''],
    [{ matchLabels: undefined, matchExpressions: [{ key: 'a', operator: 'Exists' }] }, 'a'],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['x', 'y'] }] }, 'a in (x,y)'],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['x'] }] }, 'a!=x'],
    [
      {
        matchLabels: { z: '1' },
        matchExpressions: [
          { key: 'a', operator: 'Exists' },
          { key: 'b', operator: 'DoesNotExist' },
        ],
      },
      '!b,a,z=1',
    ],
  ])('reads %j', (given, normal) => {
    expect(LabelSelector.of(given).text).toBe(normal)
  })

  it.each<[unknown, ErrorConstructor | typeof InvalidNameError]>([
    [null, TypeError],
    [7, TypeError],
    [['a'], TypeError],
    [{ a: undefined }, InvalidNameError],
    [{ a: 1 }, InvalidNameError],
    [{ 'a b': 'x' }, InvalidNameError],
    [{ a: '../b' }, InvalidNameError],
    [{ matchExpressions: [{ key: 'a', operator: 'Is', values: [] }] }, RangeError],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }, RangeError],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: 'web' }] }, TypeError],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] }, RangeError],
  ])('X1, X6: refuses %j', (given, type) => {
    expect(() => LabelSelector.of(given as LabelSelectorInput)).toThrow(type as ErrorConstructor)
  })

  it.each<[string, Record<string, string> | undefined, boolean]>([
    ['', undefined, true],
    ['a=b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', undefined, false],
    ['a!=b', undefined, true],
    ['a!=b', { a: 'c' }, true],
    ['a!=b', { a: 'b' }, false],
    ['a in (b,c)', { a: 'c' }, true],
    ['a in (b,c)', {}, false],
    ['a notin (b,c)', {}, true],
    ['a notin (b,c)', { a: 'b' }, false],
    ['a', { a: '' }, true],
    ['a', {}, false],
    ['!a', {}, true],
    ['!a', { a: '' }, false],
    ['a>5', { a: '6' }, true],
    ['a>5', { a: '5' }, false],
    ['a>5', { a: 'x' }, false],
    ['a>5', {}, false],
    ['a<5', { a: '-6' }, true],
    ['a<5', { a: '99999999999999999999' }, false],
    ['a=b,c', { a: 'b', c: '' }, true],
    ['a=b,c', { a: 'b' }, false],
    ['constructor', {}, false],
    ['constructor=x', { constructor: 'x' }, true],
  ])('%j on %j: %s', (selector, labels, selected) => {
    expect(LabelSelector.of(selector).matches(labels)).toBe(selected)
  })

  it('X5: a label named __proto__ is read as one, and refused as the server would, not lost', () => {
    const labels = JSON.parse('{"__proto__":"x"}') as Record<string, string>
    expect(() => LabelSelector.of(labels)).toThrow(InvalidNameError)
    expect(() => LabelSelector.of('__proto__=x')).toThrow(InvalidNameError)
  })

  const name = fc.stringMatching(/^[a-z]([a-z0-9]{0,3})$/)
  const requirement = fc.oneof(
    fc.tuple(name, fc.constantFrom('=', '==', '!='), name).map(([key, operator, value]) => `${key}${operator}${value}`),
    fc
      .tuple(name, fc.constantFrom('in', 'notin'), fc.array(name, { minLength: 1 }))
      .map(([k, o, v]) => `${k} ${o} (${v.join(', ')})`),
    name,
    name.map(key => `!${key}`),
  )
  const selectors = fc.array(requirement, { maxLength: 4 })

  it('has one text for all ways to write it, which reads as itself', () => {
    fc.assert(
      fc.property(selectors, fc.dictionary(name, name), (parts, labels) => {
        const selector = LabelSelector.of(parts.join(','))
        const again = LabelSelector.of(selector.text)
        expect(again.text).toBe(selector.text)
        expect(LabelSelector.of([...parts].reverse().join(' ,\n ')).text).toBe(selector.text)
        expect(again.matches(labels)).toBe(parts.every(part => LabelSelector.of(part).matches(labels)))
      }),
    )
  })

  it('selects by both after and()', () => {
    fc.assert(
      fc.property(selectors, selectors, fc.dictionary(name, name), (a, b, labels) => {
        const [one, two] = [LabelSelector.of(a.join(',')), LabelSelector.of(b.join(','))]
        const both = one.and(two)
        expect(both.matches(labels)).toBe(one.matches(labels) && two.matches(labels))
        expect(both.text).toBe(two.and(one).text)
      }),
    )
  })

  it('X6: any text is a selector or an error with a code', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab=!(),<> in'.split(''), 'in', 'notin', '\0') }), text => {
        try {
          LabelSelector.of(text)
        } catch (error) {
          expect(error instanceof InvalidNameError || isInvalidOption(error)).toBe(true)
        }
      }),
    )
  })
})
