import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkWhen } from './when.ts'

it.each([
  'object.spec.replicas != oldObject.?spec.?replicas.orValue(0)',
  "'it''s' == \"(\" // a comment (",
  "r'\\' == 'a\\'b'",
  '"""a " \n )""" != \'\'',
  '[1, 2].exists(x, x in {"a": 1}) // (',
  '(a // )\n)',
  '1 / 2 == (3 / 1) // / (',
  "'' + \"\" + ''''''",
  "'''a'b\"\"\"\n(''' + \"'\"",
  "'''\\''''",
  "'\\''",
  '"\\"(" + \'\\\\\'',
  "r'\\'",
  "R'\\'",
  "br'\\'",
  'BR"\\"',
  "(r'\\')",
  "1 + r'\\' + ' '",
  // After another letter, r is the end of a name.
  "ar'\\''",
  "xbr'\\''.size() + b'\\''",
])('takes %j', expression => {
  expect(() => checkWhen('when', expression)).not.toThrow()
})

it.each([
  ['(a', 'an expression without its last )'],
  ['a)', 'a ) at character 2 that closes nothing'],
  ['[a)', 'a ) at character 3 that closes nothing'],
  ["a == 'b", 'a string that begins at character 6 and does not end'],
  ["'a\n'", 'a string that begins at character 1 and does not end'],
  ["'''a''", 'a string that begins at character 1 and does not end'],
  ['"""a"', 'a string that begins at character 1 and does not end'],
  ["a + r'a", 'a string that begins at character 6 and does not end'],
  ["br'a\n'", 'a string that begins at character 3 and does not end'],
  ["'\\'", 'a string that begins at character 1 and does not end'],
  ["r'a\\' + 'b", 'a string that begins at character 9 and does not end'],
  ['// x\n)', 'a ) at character 6 that closes nothing'],
  ['a / (b', 'an expression without its last )'],
  ['{[}', 'a } at character 3 that closes nothing'],
  ['({[', 'an expression without its last ]'],
  ['((a)', 'an expression without its last )'],
  ['{"a": (1)', 'an expression without its last }'],
  ['"(" ]', 'a ] at character 5 that closes nothing'],
  ['  ', 'an empty text'],
])('refuses %j', (expression, problem) => {
  expect(() => checkWhen('when', expression)).toThrow(`when takes a CEL expression, got ${problem}`)
})

it.each([[1], [undefined], [{}], [['a']]])('refuses %j, which is no text', value => {
  expect(() => checkWhen('when', value)).toThrow('when takes a string, got')
})

it('takes whatever is closed', () => {
  const atom = fc.constantFrom('a', '1', '"x)"', "'('", "r'\\'")
  const { tree } = fc.letrec<{ tree: string }>(tie => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      atom,
      fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `(${a} + [${b}])`),
    ),
  }))
  fc.assert(
    fc.property(tree, expression => {
      expect(() => checkWhen('when', expression)).not.toThrow()
      expect(() => checkWhen('when', `${expression})`)).toThrow('closes nothing')
      expect(() => checkWhen('when', `{${expression}`)).toThrow('without its last }')
    }),
  )
})
