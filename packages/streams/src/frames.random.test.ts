import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { forEachSeed, integer, seededRandom } from '@wherry/testing'
import { expect, it } from 'vitest'
import * as ws from 'ws'
import { FrameReader } from './frames.ts'

// The types of `ws` leave its reader of frames out.
const { Receiver } = ws as unknown as { Receiver: new (options: { isServer: boolean }) => Writable }

interface Read {
  /** The bytes of each channel, in pieces. */
  readonly data: Map<number, Buffer[]>
  /** The opcode and the payload of each control frame. */
  readonly controls: (readonly [number, string])[]
}

function frame(first: number, body: Buffer, longest = 0): Buffer {
  const size = Math.max(longest, body.length < 126 ? 0 : body.length < 65_536 ? 1 : 2)
  const head = Buffer.alloc([2, 4, 10][size] ?? 0)
  head[0] = first
  head[1] = [body.length, 126, 127][size] ?? 0
  if (size === 1) head.writeUInt16BE(body.length, 2)
  if (size === 2) head.writeBigUInt64BE(BigInt(body.length), 2)
  return Buffer.concat([head, body])
}

/** Messages in one frame or in several, with control frames between them. */
function randomFrames(random: () => number): Buffer {
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => integer(random, 0, 255)))
  const frames: Buffer[] = []
  for (let messages = integer(random, 1, 12); messages > 0; messages--) {
    for (let parts = integer(random, 1, 3), left = parts; left > 0; left--) {
      if (random() < 0.3) frames.push(frame(0x80 | integer(random, 9, 10), bytes(integer(random, 0, 125))))
      const length = integer(random, 0, [3, 130, 5_000, 70_000][integer(random, 0, 3)] ?? 0)
      const body =
        left === parts ? Buffer.concat([bytes(1), Buffer.alloc(length, messages)]) : Buffer.alloc(length, left)
      // Channels are few, so that messages share them.
      if (left === parts) body[0] = integer(random, 0, 2)
      frames.push(frame((left === 1 ? 0x80 : 0) | (left === parts ? 2 : 0), body, integer(random, 0, 2)))
    }
  }
  return Buffer.concat(frames)
}

/** A copy: the bytes are overwritten. */
function add({ data }: Read, channel: number, bytes: Buffer): void {
  const pieces = data.get(channel) ?? []
  if (bytes.length > 0) data.set(channel, pieces)
  pieces.push(Buffer.from(bytes))
}

async function readByWs(bytes: Buffer): Promise<Read> {
  const read: Read = { data: new Map(), controls: [] }
  const receiver = new Receiver({ isServer: false })
  receiver.on('message', (message: Buffer) => add(read, message[0] as number, message.subarray(1)))
  receiver.on('ping', (payload: Buffer) => read.controls.push([9, payload.toString('hex')]))
  receiver.on('pong', (payload: Buffer) => read.controls.push([10, payload.toString('hex')]))
  receiver.end(bytes)
  await once(receiver, 'finish')
  return read
}

function reader(read: Read): FrameReader {
  return new FrameReader({
    data: (channel, bytes) => add(read, channel, bytes),
    control: whole => read.controls.push([(whole[0] as number) & 15, whole.subarray(2).toString('hex')]),
  })
}

it('frames that are cut anywhere give the bytes that ws reads from them', () =>
  forEachSeed(
    async seed => {
      const random = seededRandom(seed)
      const bytes = randomFrames(random)
      const read: Read = { data: new Map(), controls: [] }
      const frames = reader(read)
      const longest = [1, 3, 200, 16_384, bytes.length].at(integer(random, bytes.length > 20_000 ? 2 : 0, 4)) ?? 1
      for (let at = 0; at < bytes.length; ) {
        const cut = Buffer.from(bytes.subarray(at, at + integer(random, 1, longest)))
        frames.read(cut)
        at += cut.length
        // Nothing is read from memory that has been given back.
        cut.fill(0xff)
      }
      const byWs = await readByWs(bytes)
      expect(read.controls).toEqual(byWs.controls)
      expect([...read.data.keys()].sort()).toEqual([...byWs.data.keys()].sort())
      for (const [channel, pieces] of byWs.data) {
        expect(Buffer.concat(read.data.get(channel) ?? []).equals(Buffer.concat(pieces))).toBe(true)
      }
    },
    { seeds: 100 },
  ))

it.each([
  ['a reserved bit', [0xc2, 1, 0]],
  ['a mask', [0x82, 0x81, 0, 0, 0, 0, 0]],
  ['an unknown opcode of data', [0x83, 1, 0]],
  ['an unknown opcode of control', [0x8b, 0]],
  ['a continuation of nothing', [0x80, 1, 0]],
  ['a message within a message', [0x02, 1, 0, 0x82, 1, 0]],
  ['a ping in pieces', [0x09, 0]],
  ['a ping that is too long', [0x89, 126, 0, 126]],
  ['a length above 2^53', [0x82, 127, 0x7f, 0, 0, 0, 0, 0, 0, 0]],
])('refuses %s, as ws does', async (_, bytes) => {
  const receiver = new Receiver({ isServer: false })
  const refused = once(receiver, 'error')
  receiver.end(Buffer.from(bytes))
  await refused
  expect(() => reader({ data: new Map(), controls: [] }).read(Buffer.from(bytes))).toThrow('no WebSocket frame')
})
