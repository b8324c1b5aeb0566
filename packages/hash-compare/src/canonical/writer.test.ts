import { expect, it } from 'vitest'
import { NotJsonError } from '../errors.ts'
import { printed } from './writer.ts'

/** Whether the buffer of the next writer has a text. */
const holds = (text: string): boolean =>
  printed(
    1,
    'number',
    () => {},
    rest => Buffer.from(rest.buffer).includes(text),
  )

const print = (value: unknown): string =>
  printed(
    value,
    'number',
    () => {},
    rest => rest.toString(),
  )

it('X3: the buffer keeps nothing of what was printed, or could not be', () => {
  expect(print({ key: 'a password' })).toBe('{"key":"a password"}')
  expect(holds('password')).toBe(false)
  // Found only after the text before it was written.
  expect(() => print({ key: 'a password\ud800' })).toThrow(NotJsonError)
  expect(holds('password')).toBe(false)
  // The buffer is flushed between the two attempts to write a text.
  const key = 'k'.repeat(4_000)
  for (let length = 32_000; length < 40_000; length += 400) {
    print({ filled: 'x'.repeat(length), [key]: 'a password"' })
    expect(holds('password'), `after ${length}`).toBe(false)
  }
})
