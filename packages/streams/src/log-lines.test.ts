import { expect, it } from 'vitest'
import { LogCutter } from './log-lines.ts'

function cut(chunks: readonly string[], maxBytes = 100): string[] {
  const cutter = new LogCutter(maxBytes)
  const lines: string[] = []
  const take = (): void => {
    for (let line = cutter.next(); line !== undefined; line = cutter.next()) lines.push(line.toString())
  }
  for (const chunk of chunks) {
    const lent = Buffer.from(chunk)
    cutter.push(lent)
    take()
    cutter.keep()
    lent.fill(0)
  }
  cutter.finish()
  take()
  return lines
}

it('cuts at each newline, wherever the chunks end, and keeps empty lines', () => {
  const text = 'one\n\ntwo\r\nthree'
  const expected = ['one', '', 'two\r', 'three']
  for (let at = 0; at <= text.length; at++) expect(cut([text.slice(0, at), text.slice(at)])).toEqual(expected)
  expect(cut([...text])).toEqual(expected)
})

it('refuses a line that is too long, before its end has come', () => {
  expect(cut(['x'.repeat(100), '\n'])).toHaveLength(1)
  expect(() => cut(['x'.repeat(60), 'x'.repeat(41)])).toThrow('100')
})
