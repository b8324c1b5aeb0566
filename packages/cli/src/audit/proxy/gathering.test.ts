import { setImmediate as turn } from 'node:timers/promises'
import { chance, forEachSeed, integer, seededRandom } from '@wherry/testing'
import { expect, it } from 'vitest'
import { type GatheredTarget, Gathering } from './gathering.ts'

const size = 64 * 1024

/** Keeps each write, unread, until the test takes it. Has room for so many writes. */
class Slow implements GatheredTarget {
  readonly writes: { readonly bytes: Buffer; readonly done: () => void }[] = []
  readonly #room: number
  #then: (() => void) | undefined

  constructor(room: number) {
    this.#room = room
  }

  write(bytes: Buffer, _: number, done: () => void): boolean {
    this.writes.push({ bytes, done })
    return this.writes.length < this.#room
  }

  onDrain(then: () => void): void {
    this.#then = then
  }

  /** Takes the first write. */
  take(): Buffer {
    const [first] = this.writes.splice(0, 1)
    const bytes = Buffer.from(first?.bytes ?? [])
    first?.done()
    if (this.writes.length === 0) {
      this.#then?.()
      this.#then = undefined
    }
    return bytes
  }
}

it('chunks of a turn are one write, and the write is full at 64 KiB', async () => {
  const target = new Slow(9)
  const gathering = new Gathering(target, false)
  for (const text of ['a', 'b', 'c']) expect(gathering.write(Buffer.from(text))).toBe(true)
  expect(target.writes).toEqual([])
  await turn()
  expect(`${target.take()}`).toBe('abc')
  gathering.write(Buffer.alloc(size + 10))
  expect(target.writes.map(({ bytes }) => bytes.length)).toEqual([size])
  gathering.flush()
  expect(target.writes.map(({ bytes }) => bytes.length)).toEqual([size, 10])
  await turn()
  expect(target.writes).toHaveLength(2)
})

it('a target that is full after a turn stops the next chunk', async () => {
  const target = new Slow(1)
  const gathering = new Gathering(target, false)
  expect(gathering.write(Buffer.from('a'))).toBe(true)
  await turn()
  expect(gathering.write(Buffer.from('b'))).toBe(false)
  let drained = 0
  gathering.onDrain(() => drained++)
  expect(drained).toBe(0)
  expect(`${target.take()}`).toBe('a')
  expect(drained).toBe(1)
  gathering.onDrain(() => drained++)
  expect(drained).toBe(2)
  await turn()
})

/** The content of a chunk of HTTP/1.1. */
function contentOf(chunk: Buffer): Buffer {
  const head = chunk.indexOf('\r\n')
  const content = chunk.subarray(head + 2, -2)
  expect(`${chunk.subarray(0, head)}`).toMatch(/^[0-9a-f]+$/)
  expect(Number.parseInt(`${chunk.subarray(0, head)}`, 16)).toBe(content.length)
  expect(`${chunk.subarray(-2)}`).toBe('\r\n')
  expect(chunk.length).toBeLessThanOrEqual(size)
  return content
}

it('bytes come in their order, and no memory is overwritten before its write is done', async () => {
  await forEachSeed(
    async seed => {
      const random = seededRandom(seed)
      const target = new Slow(integer(random, 1, 4))
      const makesChunks = chance(random, 0.5)
      const gathering = new Gathering(target, makesChunks)
      const [sent, taken]: [Buffer[], Buffer[]] = [[], []]
      for (let step = 0; step < 60; step++) {
        const chunk = Buffer.alloc(integer(random, 1, chance(random, 0.2) ? 3 * size : 2_000), step)
        sent.push(Buffer.from(chunk))
        gathering.write(chunk)
        chunk.fill(255)
        if (chance(random, 0.3)) await turn()
        while (target.writes.length > 0 && chance(random, 0.7)) taken.push(target.take())
      }
      gathering.flush()
      while (target.writes.length > 0) taken.push(target.take())
      const received = makesChunks ? taken.map(contentOf) : taken
      expect(Buffer.concat(received).equals(Buffer.concat(sent))).toBe(true)
    },
    { seeds: 20 },
  )
})
