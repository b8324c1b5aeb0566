import { growth } from '@wherry/testing/testkit/growth'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineTooLongError } from './bounds.ts'
import { anyJson, chunked, lend, pieces } from './chunks.fixture.ts'
import { LineCutter } from './lines.ts'

function cut(chunks: Iterable<Uint8Array | string>, maxBytes?: number): { lines: string[]; rest: string | undefined } {
  const cutter = new LineCutter(maxBytes)
  const lines: string[] = []
  for (const chunk of chunks) {
    lend(chunk, lent => {
      cutter.push(lent)
      for (let line = cutter.next(); line !== undefined; line = cutter.next()) lines.push(line)
      cutter.keep()
    })
  }
  return { lines, rest: cutter.rest() }
}

const anyStream = fc
  .array(fc.tuple(anyJson, fc.constantFrom('\n', '\r\n', '\n\n', '\r\n\n\r\n')), { maxLength: 8 })
  .chain(lines => {
    const text = lines.map(([value, end]) => JSON.stringify(value) + end).join('')
    return fc.record({ values: fc.constant(lines.map(([value]) => value)), chunks: chunked(Buffer.from(text)) })
  })

describe('cutting lines', () => {
  it('R24: gives every line of any stream of JSON, whatever the chunking, and what comes after the last newline', () => {
    const lasts = fc.option(
      anyJson.map(value => JSON.stringify(value)),
      { nil: undefined },
    )
    const ending = fc.constantFrom('', '\r')
    const streams = anyStream.chain(({ values, chunks }) =>
      fc.tuple(lasts, ending).chain(([last, end]) =>
        fc.record({
          values: fc.constant(values),
          last: fc.constant(last),
          chunks: chunked(Buffer.concat([...chunks, Buffer.from(`${last ?? ''}${end}`)])),
        }),
      ),
    )
    fc.assert(
      fc.property(streams, ({ values, last, chunks }) => {
        const { lines, rest } = cut(chunks)
        expect(lines).toEqual(values.map(value => JSON.stringify(value)))
        expect(rest).toBe(last)
      }),
      { numRuns: 1000 },
    )
  })

  it('R24: reads \\r\\n, empty lines, and a last line without a newline', () => {
    expect(cut(['a\r\n\r\n\nb\r', '\nc'])).toEqual({ lines: ['a', 'b'], rest: 'c' })
    expect(cut(['\r\n\n'])).toEqual({ lines: [], rest: undefined })
    expect(cut(['a\n', 'b\r'])).toEqual({ lines: ['a'], rest: 'b' })
    expect(cut(['a\rb\n'])).toEqual({ lines: ['a\rb'], rest: undefined })
    expect(cut([])).toEqual({ lines: [], rest: undefined })
  })

  it('R24: puts characters split between chunks together again', () => {
    const text = '{"ü€𝄞":"👩‍👩‍👧"}'
    expect(cut(pieces(Buffer.from(`${text}\n${text}`), 1))).toEqual({ lines: [text], rest: text })
  })

  it('gives each line as soon as its newline is there, and takes chunks that come in between', () => {
    const cutter = new LineCutter()
    cutter.push(Buffer.from('a\nb\nc'))
    expect(cutter.next()).toBe('a')
    cutter.push(Buffer.from('d\n'))
    expect([cutter.next(), cutter.next(), cutter.next()]).toEqual(['b', 'cd', undefined])
  })

  it('loses nothing when chunks come faster than lines are taken', () => {
    const chunksAndTakes = anyStream.chain(({ values, chunks }) =>
      fc.record({
        values: fc.constant(values),
        chunks: fc.constant(chunks),
        takes: fc.array(fc.nat({ max: 2 }), { minLength: chunks.length, maxLength: chunks.length }),
      }),
    )
    fc.assert(
      fc.property(chunksAndTakes, ({ values, chunks, takes }) => {
        const cutter = new LineCutter()
        const lines: (string | undefined)[] = []
        for (const [i, chunk] of chunks.entries()) {
          lend(chunk, lent => {
            cutter.push(lent)
            for (let take = takes[i] ?? 0; take > 0; take--) lines.push(cutter.next())
            cutter.keep()
          })
        }
        for (let line = cutter.next(); line !== undefined; line = cutter.next()) lines.push(line)
        expect(lines.filter(line => line !== undefined)).toEqual(values.map(value => JSON.stringify(value)))
      }),
      { numRuns: 500 },
    )
  })

  it('X4: takes a line of exactly the bound, in whatever pieces it comes', () => {
    const line = 'x'.repeat(10)
    for (const size of [1, 5, 10, 11, 12]) {
      expect(cut(pieces(Buffer.from(`${line}\r\n${line}\n`), size), 10).lines).toEqual([line, line])
      expect(() => cut(pieces(Buffer.from(`a\n${line}x\nb\n`), size), 10)).toThrow(LineTooLongError)
    }
  })

  it('X4: refuses a line longer than the bound as soon as that is known', () => {
    expect(cut([`${'x'.repeat(10)}\n`, `${'y'.repeat(10)}\r\n`], 10).lines).toEqual(['x'.repeat(10), 'y'.repeat(10)])
    expect(() => cut([`${'x'.repeat(11)}\n`], 10)).toThrow(LineTooLongError)
    expect(() => cut(pieces(Buffer.from('x'.repeat(12)), 5), 10)).toThrow('longer than 10 bytes')
  })

  it('long lines in tiny chunks cost linear time', () => {
    const cutOne = (length: number): void => {
      const { lines } = cut(pieces(Buffer.from(`${'x'.repeat(length)}\n`), 3))
      expect(lines[0]?.length).toBe(length)
    }
    expect(growth([50_000, 2_000_000], cutOne)).toBeLessThan(250)
  })
})
