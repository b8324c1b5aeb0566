import { expect, it } from 'vitest'
import { LogCutter, type LogCutterOptions } from './log-lines.ts'

function cutBytes(chunks: readonly Buffer[], options: Partial<LogCutterOptions> = {}): string[] {
  const cutter = new LogCutter({ encoding: 'utf8', maxBytes: 100, isTimed: false, ...options })
  const lines: string[] = []
  const take = (): void => {
    for (let batch = cutter.next(); batch !== undefined; batch = cutter.next()) lines.push(...batch.lines)
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

const cut = (chunks: readonly string[], options?: Partial<LogCutterOptions>): string[] =>
  cutBytes(
    chunks.map(chunk => Buffer.from(chunk)),
    options,
  )

it('cuts at each newline, wherever the chunks end, and keeps empty lines', () => {
  const text = 'one\n\ntwo\r\nthree'
  const expected = ['one', '', 'two\r', 'three']
  for (let at = 0; at <= text.length; at++) expect(cut([text.slice(0, at), text.slice(at)])).toEqual(expected)
  expect(cut([...text])).toEqual(expected)
})

it('refuses a line that is too long, before its end has come', () => {
  const cutter = new LogCutter({ encoding: 'utf8', maxBytes: 5, isTimed: false })
  cutter.push(Buffer.from('123456'))
  expect(() => cutter.next()).toThrow('5')
  expect(cut(['x'.repeat(100), '\n'])).toHaveLength(1)
  expect(() => cut(['x'.repeat(60), 'x'.repeat(41)])).toThrow('100')
})

it('delivers the lines before one that is too long', () => {
  const cutter = new LogCutter({ encoding: 'utf8', maxBytes: 5, isTimed: false })
  cutter.push(Buffer.from('one\ntwo\nthreeee\nfour\n'))
  expect(cutter.next()?.lines).toEqual(['one', 'two'])
  expect(() => cutter.next()).toThrow('5')
  cutter.push(Buffer.from('five\n'))
  cutter.finish()
  expect(() => cutter.next()).toThrow('5')
})

it('does not count the time of a line', () => {
  const isTimed = true
  for (const time of ['2026-01-01T00:00:00Z ', '2026-01-01T00:00:00.123456789+00:00 ']) {
    for (const bytesOfChunk of [1, 7, 1000]) {
      const chunks = (line: string): string[] => line.match(new RegExp(`[^]{1,${bytesOfChunk}}`, 'g')) ?? []
      expect(cut(chunks(`${time}12345\n`), { maxBytes: 5, isTimed })).toEqual([`${time}12345`])
      expect(() => cut(chunks(`${time}123456\n`), { maxBytes: 5, isTimed })).toThrow('5')
    }
  }
  expect(() => cut(['not a time 1\n'], { maxBytes: 5, isTimed })).toThrow('5')
})

it('keeps each byte as latin1, and decodes a character that chunks divide', () => {
  const bytes = Buffer.from([0xc3, 0xa9, 0xff, 0x0a, 0xe2, 0x82, 0xac, 0x0a])
  for (let at = 0; at <= bytes.length; at++) {
    const chunks = [bytes.subarray(0, at), bytes.subarray(at)]
    expect(cutBytes(chunks)).toEqual(['é\ufffd', '€'])
    const kept = cutBytes(chunks, { encoding: 'latin1' }).map(line => [...Buffer.from(line, 'latin1')])
    expect(kept).toEqual([
      [0xc3, 0xa9, 0xff],
      [0xe2, 0x82, 0xac],
    ])
  }
})
