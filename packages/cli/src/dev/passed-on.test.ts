import { expect, it } from 'vitest'
import { passedOn } from './program.ts'

it('an operator writes to the terminal itself, and to a pipe if something else reads it', () => {
  const { stdout, stderr } = process
  const before = stderr.isTTY
  try {
    stderr.isTTY = true
    expect(passedOn(stderr, 2)).toBe(2)
    // Text that is given to the terminal by others has to be read.
    expect([passedOn({ write: () => true }, 2), passedOn(stdout, 2)]).toEqual(['pipe', 'pipe'])
    stderr.isTTY = false
    expect(passedOn(stderr, 2)).toBe('pipe')
  } finally {
    stderr.isTTY = before
  }
})
