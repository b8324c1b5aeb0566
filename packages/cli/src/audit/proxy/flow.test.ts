import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { flow, type Sink } from './flow.ts'

/** Takes chunks until it is full, and has room again when the test says so. */
class Slow implements Sink {
  taken = 0
  #then: (() => void) | undefined
  readonly #room: number

  constructor(room: number) {
    this.#room = room
  }

  write(): boolean {
    this.taken++
    return this.taken % this.#room !== 0
  }

  onDrain(then: () => void): void {
    this.#then = then
  }

  drain(): void {
    this.#then?.()
  }
}

it('no more is read while a sink has no room, and goes on when all have', async () => {
  const from = Readable.from(Array.from({ length: 12 }, () => Buffer.from('a')))
  const [one, other] = [new Slow(2), new Slow(4)]
  flow(from, one, other)
  const stopped = (): Promise<void> => new Promise(resolve => from.once('pause', resolve))
  await stopped()
  expect([one.taken, other.taken]).toEqual([2, 2])
  one.drain()
  await stopped()
  expect([one.taken, other.taken]).toEqual([4, 4])
  one.drain()
  expect(from.isPaused()).toBe(true)
  other.drain()
  await stopped()
  expect(one.taken).toBe(6)
  from.destroy()
})
