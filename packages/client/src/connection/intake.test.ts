import { expect, it } from 'vitest'
import { Intake } from './intake.ts'

/** What a socket does with an intake: its reads go to the shared buffer, one after the other. */
function socketOf(intake: Intake): (text: string) => boolean {
  const { buffer, callback } = intake.onread
  return text => {
    const shared = buffer as Uint8Array
    return callback(Buffer.from(shared.buffer, shared.byteOffset, shared.length).write(text, 'latin1'), shared)
  }
}

it('keeps what comes before anybody reads, although the buffer is used again, and reads no further until then', () => {
  const intake = new Intake(Buffer.alloc(8))
  const read = socketOf(intake)
  expect(read('early')).toBe(false)
  expect(read('again')).toBe(false)
  const got: string[] = []
  intake.lend(chunk => got.push(`${chunk}`))
  expect(got).toEqual(['early', 'again'])
  expect(read('now')).toBe(true)
  expect(got).toEqual(['early', 'again', 'now'])
})

it('gives what came early once, however often it is lent', () => {
  const intake = new Intake(Buffer.alloc(8))
  const read = socketOf(intake)
  read('early')
  const first: string[] = []
  const second: string[] = []
  intake.lend(chunk => first.push(`${chunk}`))
  intake.lend(chunk => second.push(`${chunk}`))
  expect(read('now')).toBe(true)
  expect([first, second]).toEqual([['early'], ['now']])
})

it('lends the very bytes of the buffer, as many as came', () => {
  const buffer = Buffer.alloc(8)
  const intake = new Intake(buffer)
  const lent: Buffer[] = []
  intake.lend(chunk => lent.push(chunk))
  socketOf(intake)('abc')
  expect(lent.map(chunk => [chunk.buffer === buffer.buffer, chunk.length])).toEqual([[true, 3]])
  expect(intake.onread.buffer).toBe(buffer)
})
