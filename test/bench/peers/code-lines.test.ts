import { expect, it } from 'vitest'
import { codeLines, codeLinesOf } from './code-lines.ts'
import { examples, peerOf } from './scenes.ts'

it('lines of code are those that have a token: no blank lines, no comments, and each line of a long text', () => {
  const text = [
    "import { a } from 'a'",
    '',
    '/**',
    ' * A docstring.',
    ' */',
    'export const text = `one',
    '',
    'three` // a comment behind code',
    '// a comment alone',
    'function f(): string {',
    '  /* a comment',
    "     with ; and } */ return '// no comment'",
    '}',
  ]
  expect(codeLines(text.join('\n'))).toBe(7)
  expect(codeLines('')).toBe(0)
})

it.each(examples)('the ported $name has 100 lines of code or less', ({ files }) => {
  const lines = codeLinesOf(files)
  expect(lines).toBeGreaterThan(50)
  expect(lines).toBeLessThanOrEqual(100)
})

it.each(examples)('the peer of $name is a program of ours', ({ name }) => {
  expect(codeLinesOf([peerOf(name)])).toBeGreaterThan(20)
})
