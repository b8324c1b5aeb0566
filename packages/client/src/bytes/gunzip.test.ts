import { constants, createGzip, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunked, pieces } from './chunks.fixture.ts'
import type { Flow } from './flow.ts'
import { type Gunzip, type GunzipMode, gunzip } from './gunzip.ts'

class Source implements Flow {
  readonly log: string[] = []
  pause(): void {
    this.log.push('pause')
  }
  resume(): void {
    this.log.push('resume')
  }
  abort(): void {
    this.log.push('abort')
  }
}

interface Reader {
  readonly source: Source
  readonly to: Gunzip
  readonly chunks: Uint8Array[]
  text(): string
  /** Resolves with how it ended. */
  readonly ended: Promise<string>
  /** Resolves when so many bytes came. */
  bytes(count: number): Promise<void>
}

function reader(mode: GunzipMode): Reader {
  const source = new Source()
  const chunks: Uint8Array[] = []
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  const waiting: { count: number; resolve: () => void }[] = []
  let total = 0
  const to = gunzip(mode, source, {
    data(chunk) {
      chunks.push(chunk)
      total += chunk.length
      for (const wait of waiting) if (total >= wait.count) wait.resolve()
    },
    end: () => resolve('end'),
    error: cause => resolve(`${cause.name}: ${cause.message}`),
  })
  return {
    source,
    to,
    chunks,
    ended,
    text: () => Buffer.concat(chunks).toString(),
    bytes(count) {
      const { promise, resolve: met } = Promise.withResolvers<void>()
      waiting.push({ count, resolve: met })
      if (total >= count) met()
      return promise
    },
  }
}

const members = fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { minLength: 1, maxLength: 6 }).chain(texts =>
  fc.record({
    text: fc.constant(texts.join('')),
    chunks: chunked(Buffer.concat(texts.map(text => gzipSync(text)))),
  }),
)

describe.each(['threads', 'inline'] as const)('gunzip (%s)', mode => {
  it('R24: reads any number of members, whatever the chunking', async () => {
    await fc.assert(
      fc.asyncProperty(members, async ({ text, chunks }) => {
        const { to, ended, text: got } = reader(mode)
        for (const chunk of chunks) to.data(chunk)
        to.end()
        expect(await ended).toBe('end')
        expect(got()).toBe(text)
      }),
      { numRuns: mode === 'threads' ? 50 : 300 },
    )
  })

  it('R24: gives what a member holds at once, not when the next one comes', async () => {
    const { to, bytes, text } = reader(mode)
    let expected = ''
    for (let i = 0; i < 20; i++) {
      const line = `{"n":${i},"x":"${'ab'.repeat(i * 40)}"}\n`
      expected += line
      to.data(gzipSync(line))
      await bytes(expected.length)
      expect(text()).toBe(expected)
    }
    to.abort()
  })

  it('R24: gives what was flushed within a member', async () => {
    const gzip = createGzip()
    const { to, bytes, text } = reader(mode)
    gzip.on('data', chunk => to.data(chunk))
    gzip.write('first line\n')
    await new Promise<void>(resolve => gzip.flush(constants.Z_SYNC_FLUSH, resolve))
    await bytes(11)
    expect(text()).toBe('first line\n')
    gzip.destroy()
    to.abort()
  })

  it('tells what is no gzip, and ends the source', async () => {
    const { to, ended, source } = reader(mode)
    to.data(Buffer.from('{"kind":"ConfigMapList","items":[]}'))
    expect(await ended).toBe('InvalidBodyError: what was received is no gzip, or less than all of it')
    expect(source.log).toContain('abort')
  })

  it('tells an end in the midst of a member, and keeps the cause of a break', async () => {
    const bytes = gzipSync('hello'.repeat(100)).subarray(0, 20)
    const cut = reader(mode)
    cut.to.data(bytes)
    cut.to.end()
    expect(await cut.ended).toContain('InvalidBodyError')
    const broken = reader(mode)
    broken.to.data(gzipSync('whole'))
    broken.to.data(bytes)
    broken.to.error(new Error('reset'))
    expect(await broken.ended).toBe('Error: reset')
    expect(broken.text()).toContain('whole')
  })

  it('X4: gives a body that grows beyond measure in bounded pieces, and none while paused', async () => {
    const { to, ended, chunks, source } = reader(mode)
    let largest = 0
    let whilePaused = 0
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 })
    to.pause()
    for (const piece of pieces(bomb, 16_384)) to.data(piece)
    whilePaused = chunks.length
    to.resume()
    to.end()
    expect(await ended).toBe('end')
    for (const chunk of chunks) largest = Math.max(largest, chunk.length)
    expect(whilePaused).toBe(0)
    expect(largest).toBeLessThanOrEqual(2 * 1024 * 1024)
    expect(source.log[0]).toBe('pause')
    expect(source.log.at(-1)).not.toBe('abort')
  })

  it('gives nothing after abort', async () => {
    const { to, chunks, source } = reader(mode)
    to.data(gzipSync('a'))
    const before = chunks.length
    to.abort()
    to.data(gzipSync('b'))
    to.end()
    await new Promise(resolve => setImmediate(resolve))
    expect(chunks.length).toBe(before)
    expect(source.log).toEqual(['abort'])
  })
})
