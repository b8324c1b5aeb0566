import { constants, createGzip, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { chunked, lend, pieces } from './chunks.fixture.ts'
import type { Flow } from './flow.ts'
import { Gunzip } from './gunzip.ts'

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
  readonly to: Lender
  readonly chunks: Uint8Array[]
  text(): string
  /** Resolves with how it ended. */
  readonly ended: Promise<string>
  /** Resolves when so many bytes came. */
  bytes(count: number): Promise<void>
}

/** The decompressor as a reader's source: each chunk is lent to it, and its memory used again afterwards. */
type Lender = Pick<Gunzip, keyof Gunzip>

function reader(receive: (to: Lender, chunk: Uint8Array) => void = () => {}): Reader {
  const source = new Source()
  const chunks: Uint8Array[] = []
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  const waiting: { count: number; resolve: () => void }[] = []
  let total = 0
  const to = new Gunzip(source, {
    data(chunk) {
      expect(chunk.length).toBeGreaterThan(0)
      chunks.push(chunk)
      total += chunk.length
      for (const wait of waiting) if (total >= wait.count) wait.resolve()
      receive(lender, chunk)
    },
    end: () => resolve('end'),
    error: cause => resolve(`${cause.name}: ${cause.message}`),
  })
  const lender: Lender = {
    data: chunk => lend(chunk, lent => to.data(lent)),
    end: () => to.end(),
    error: cause => to.error(cause),
    pause: () => to.pause(),
    resume: () => to.resume(),
    abort: () => to.abort(),
  }
  return {
    source,
    to: lender,
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

describe('gunzip', () => {
  it('R24: reads any number of members, whatever the chunking', async () => {
    await fc.assert(
      fc.asyncProperty(members, async ({ text, chunks }) => {
        const { to, ended, text: got } = reader()
        for (const chunk of chunks) to.data(chunk)
        to.end()
        expect(await ended).toBe('end')
        expect(got()).toBe(text)
      }),
      { numRuns: 50 },
    )
  })

  it('R24: gives what a member holds at once, not when the next one comes', async () => {
    const { to, bytes, text } = reader()
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
    const { to, bytes, text } = reader()
    gzip.on('data', chunk => to.data(chunk))
    gzip.write('first line\n')
    await new Promise<void>(resolve => gzip.flush(constants.Z_SYNC_FLUSH, resolve))
    await bytes(11)
    expect(text()).toBe('first line\n')
    gzip.destroy()
    to.abort()
  })

  it('reports bytes that are no gzip, and ends the source', async () => {
    const { to, ended, source } = reader()
    to.data(Buffer.from('{"kind":"ConfigMapList","items":[]}'))
    expect(await ended).toBe('InvalidBodyError: what was received is no gzip, or less than all of it')
    expect(source.log).toContain('abort')
  })

  it('reports an end in the midst of a member, and keeps the cause of a break', async () => {
    const bytes = gzipSync('hello'.repeat(100)).subarray(0, 20)
    const cut = reader()
    cut.to.data(bytes)
    cut.to.end()
    expect(await cut.ended).toContain('InvalidBodyError')
    const broken = reader()
    broken.to.data(gzipSync('whole'))
    broken.to.data(bytes)
    broken.to.error(new Error('reset'))
    expect(await broken.ended).toBe('Error: reset')
    expect(broken.text()).toContain('whole')
  })

  it('X4: gives a body that grows beyond measure in bounded pieces, and none while paused', async () => {
    const { to, ended, chunks, source } = reader()
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

  it('calls nothing of the source once it has ended', async () => {
    const { to, ended, source } = reader()
    to.data(gzipSync('x'))
    to.end()
    to.pause()
    to.resume()
    expect(await ended).toBe('end')
    to.resume()
    expect(source.log).toEqual(['pause'])
    const cut = reader()
    cut.to.data(gzipSync('hello').subarray(0, 15))
    cut.to.end()
    expect(await cut.ended).toContain('InvalidBodyError')
    expect(cut.source.log).toEqual([])
    const broken = reader()
    broken.to.data(gzipSync('hello').subarray(0, 15))
    broken.to.error(new Error('reset'))
    expect(await broken.ended).toBe('Error: reset')
    expect(broken.source.log).toEqual([])
  })

  it('ends at bytes that are no gzip, with a single call', async () => {
    const ends: string[] = []
    const { to, ended, source, chunks } = reader()
    void ended.then(how => ends.push(how))
    to.data(Buffer.concat([gzipSync('whole'), Buffer.from('rubbish of some length'), gzipSync('more')]))
    expect(await ended).toContain('InvalidBodyError')
    const before = chunks.length
    to.data(gzipSync('more'))
    to.end()
    to.error(new Error('late'))
    to.resume()
    await new Promise(resolve => setImmediate(resolve))
    expect(chunks.length).toBe(before)
    expect(ends).toHaveLength(1)
    expect(source.log).toEqual(['abort'])
  })

  it('gives nothing while it is paused from within, all in order afterwards', async () => {
    let paused = false
    const late: number[] = []
    const { to, ended, text, source } = reader((gunzip, chunk) => {
      if (paused) late.push(chunk.length)
      paused = true
      gunzip.pause()
      setImmediate(() => {
        paused = false
        gunzip.resume()
      })
    })
    const whole = Array.from({ length: 3000 }, (_, i) => `line ${i} ${'x'.repeat(i % 90)}\n`).join('')
    for (const piece of pieces(gzipSync(whole), 1500)) to.data(piece)
    to.end()
    expect(await ended).toBe('end')
    expect(text()).toBe(whole)
    expect(late).toEqual([])
    expect(source.log[0]).toBe('pause')
  })

  it('lets the source go on where it is resumed, and not where it is paused again', async () => {
    const { to, source, bytes } = reader()
    to.pause()
    to.data(gzipSync('a'))
    to.resume()
    await bytes(1)
    expect(source.log).toEqual(['pause', 'resume'])
    to.pause()
    to.pause()
    to.resume()
    expect(source.log).toEqual(['pause', 'resume', 'pause', 'pause', 'resume'])
    to.abort()
    to.resume()
    expect(source.log.slice(5)).toEqual(['abort'])
  })

  it('gives nothing more once it is aborted from within', async () => {
    const { to, chunks, source } = reader(gunzip => gunzip.abort())
    for (let i = 0; i < 20; i++) to.data(gzipSync(`${i}`))
    to.end()
    await vi.waitFor(() => expect(source.log).toContain('abort'))
    await new Promise(resolve => setImmediate(resolve))
    expect(chunks).toHaveLength(1)
    expect(source.log.filter(each => each !== 'pause' && each !== 'resume')).toEqual(['abort'])
  })

  it('gives nothing after abort', async () => {
    const { to, chunks, source } = reader()
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

describe('the source of gunzip', () => {
  /** Compressed, more than a stream of Node's takes at a time, and less than it gives. */
  const noise = Buffer.from(Array.from({ length: 65_530 }, (_, i) => (i * i * 7919 + i * 104_729) % 251))

  it('holds the source back while there is more than it has decompressed', async () => {
    const { to, source, ended } = reader()
    const bytes = gzipSync(noise, { level: 0 })
    to.data(bytes)
    expect(source.log).toEqual(['pause'])
    await vi.waitFor(() => expect(source.log).toEqual(['pause', 'resume']))
    to.data(gzipSync('little'))
    expect(source.log).toEqual(['pause', 'resume'])
    to.end()
    expect(await ended).toBe('end')
    expect(source.log).toEqual(['pause', 'resume'])
  })

  it('what was decompressed meanwhile does not let a paused source go on', async () => {
    const { to, source, ended, chunks } = reader()
    to.data(gzipSync(noise, { level: 0 }))
    to.pause()
    // Another one is done with as much: so is this one.
    for (let i = 0; i < 3; i++) {
      const other = reader()
      other.to.data(gzipSync(noise, { level: 0 }))
      other.to.end()
      await other.ended
    }
    expect(source.log).toEqual(['pause', 'pause'])
    expect(chunks).toEqual([])
    to.resume()
    await vi.waitFor(() => expect(source.log).toEqual(['pause', 'pause', 'resume']))
    to.end()
    expect(await ended).toBe('end')
  })
})
