import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { lend } from './chunks.fixture.ts'
import { ByteWindow } from './window.ts'

const text = ({ bytes, start, end }: ByteWindow): string => bytes.toString('latin1', start, end)

/** Whether the window looks at `chunk` where it lies. */
const looksAt = (window: ByteWindow, chunk: Buffer): boolean =>
  window.bytes.buffer === chunk.buffer && window.bytes.byteOffset === chunk.byteOffset

/** How many bytes were allocated for buffers of windows' own, one number for each. */
function allocations(run: () => void): number[] {
  const allocate = vi.spyOn(Buffer, 'allocUnsafeSlow')
  try {
    run()
    return allocate.mock.calls.map(([size]) => size)
  } finally {
    allocate.mockRestore()
  }
}

type Step = { readonly do: 'append' | 'keep' | 'clear' } | { readonly do: 'consume'; readonly share: number }

const step: fc.Arbitrary<Step & { readonly size: number }> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom<Step>({ do: 'append' }, { do: 'append' }, { do: 'keep' }, { do: 'clear' }),
      fc.constantFrom(0, 0.1, 0.5, 0.9, 1).map(share => ({ do: 'consume', share }) as const),
    ),
    fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 20_000 })),
  )
  .map(([what, size]) => ({ ...what, size }))

describe('a window of bytes', () => {
  it('holds what was appended and not consumed, whatever becomes of the chunks', () => {
    let next = 0
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(0, 5000, 1_000_000), (steps, keepBytes) => {
        const window = new ByteWindow(keepBytes)
        let model = ''
        for (const { size, ...what } of steps) {
          if (what.do === 'append') {
            const chunk = Buffer.from(Array.from({ length: size }, () => next++ % 251))
            lend(chunk, lent => {
              window.append(lent)
              window.keep()
            })
            model += chunk.toString('latin1')
          } else if (what.do === 'consume') {
            const count = Math.floor(model.length * what.share)
            window.consumeTo(window.start + count)
            model = model.slice(count)
          } else if (what.do === 'clear') {
            window.clear()
            model = ''
          } else window.keep()
          expect(window.length).toBe(model.length)
          expect(text(window) === model).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('looks at a chunk where it lies, a view of other memory too', () => {
    const window = new ByteWindow(0)
    const memory = new Uint8Array([1, 2, 65, 66, 67, 3])
    expect(
      allocations(() => {
        window.append(memory.subarray(2, 5))
        expect(text(window)).toBe('ABC')
        expect(window.bytes.buffer).toBe(memory.buffer)
        window.consumeTo(window.start + 3)
        const chunk = Buffer.from('next')
        window.append(chunk)
        expect(looksAt(window, chunk)).toBe(true)
      }),
    ).toEqual([])
  })

  it('copies nothing to keep where nothing is left over, and once where something is', () => {
    const window = new ByteWindow(0)
    expect(
      allocations(() => {
        window.keep()
        window.append(Buffer.from('abc'))
        window.consumeTo(3)
        window.keep()
      }),
    ).toEqual([])
    window.append(Buffer.from('abc'))
    window.consumeTo(1)
    expect(allocations(() => window.keep())).toEqual([4096])
    expect([window.start, window.end]).toEqual([0, 2])
    const { bytes } = window
    expect(allocations(() => window.keep())).toEqual([])
    window.append(Buffer.from('d'))
    expect(window.bytes).toBe(bytes)
    expect(text(window)).toBe('bcd')
  })

  it('finds bytes and texts from a place on, and none beyond its end', () => {
    const window = new ByteWindow(10_000)
    expect(window.indexOf(97, 0)).toBe(-1)
    window.append(Buffer.from('abcabc'))
    expect([window.indexOf(97, 0), window.indexOf(97, 1), window.indexOf(Buffer.from('bc'), 2)]).toEqual([0, 3, 4])
    expect([window.indexOf(97, 6), window.indexOf(97, 7), window.indexOf(120, 0)]).toEqual([-1, -1, -1])
    // What lay in its own buffer before means nothing.
    window.append(Buffer.from('xyz'))
    window.consumeTo(window.end)
    window.append(Buffer.from('a'))
    window.append(Buffer.from('b'))
    expect(window.bytes.toString('latin1', window.end, window.end + 1)).toBe('c')
    expect([window.indexOf(98, 0), window.indexOf(99, 0), window.indexOf(Buffer.from('bc'), 0)]).toEqual([1, -1, -1])
    expect(window.indexOf(99, window.end)).toBe(-1)
  })

  it('grows by doubling, so that a long piece in small chunks is copied a few times only', () => {
    const window = new ByteWindow(0)
    const chunk = Buffer.alloc(1000, 'x')
    const sizes = allocations(() => {
      for (let i = 0; i < 1000; i++) window.append(chunk)
    })
    expect(window.length).toBe(1_000_000)
    expect(sizes).toEqual([4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576])
  })

  it('takes a chunk that is larger than its buffer with room to spare', () => {
    const window = new ByteWindow(0)
    window.append(Buffer.from('a'))
    expect(allocations(() => window.append(Buffer.alloc(4095)))).toEqual([8192])
    const large = new ByteWindow(0)
    large.append(Buffer.from('a'))
    expect(allocations(() => large.append(Buffer.alloc(65_536)))).toEqual([131_072])
  })

  it('goes on in one buffer for as long as little is left over each time', () => {
    const window = new ByteWindow(1_000_000)
    const sizes = allocations(() => {
      for (let i = 0; i < 200; i++) {
        window.append(Buffer.alloc(65_536, 'x'))
        window.keep()
        window.consumeTo(window.end - 2000)
        window.keep()
      }
    })
    expect(sizes).toEqual([131_072])
  })

  it('moves no more than comes, where much is left over', () => {
    const window = new ByteWindow(1_000_000)
    window.append(Buffer.alloc(60_000))
    window.keep()
    const copy = vi.spyOn(Buffer.prototype, 'copy')
    for (let i = 0; i < 1000; i++) {
      window.append(Buffer.alloc(1000))
      window.consumeTo(window.start + 1000)
    }
    const moved = (copy.mock.calls as number[][]).reduce((sum, [, , from = 0, to = 0]) => sum + to - from, 0)
    copy.mockRestore()
    expect(moved).toBeLessThan(2_000_000)
  })

  it('lets go of a buffer beyond what it keeps once it is empty', () => {
    for (const [keepBytes, again] of [
      [4095, [4096]],
      [4096, []],
    ] as const) {
      const window = new ByteWindow(keepBytes)
      window.append(Buffer.from('ab'))
      window.append(Buffer.from('c'))
      window.consumeTo(window.end)
      expect([window.start, window.end, window.bytes.length]).toEqual([0, 0, 0])
      expect(
        allocations(() => {
          window.append(Buffer.from('d'))
          window.append(Buffer.from('e'))
        }),
      ).toEqual(again)
    }
  })

  it('clear() lets go of everything', () => {
    const window = new ByteWindow(1_000_000)
    window.append(Buffer.from('ab'))
    window.append(Buffer.from('c'))
    window.clear()
    expect([window.length, window.bytes.length]).toEqual([0, 0])
    expect(
      allocations(() => {
        window.append(Buffer.from('d'))
        window.keep()
      }),
    ).toEqual([4096])
    expect(text(window)).toBe('d')
  })
})
