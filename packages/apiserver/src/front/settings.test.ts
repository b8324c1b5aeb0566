import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { announceMaxStreams } from './settings.ts'

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
const ack = Buffer.from([0, 0, 0, 4, 1, 0, 0, 0, 0])
const ping = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])

/** A socket with writes that end when the test calls `written`. */
function slowSocket(): { socket: Socket; written: () => void } {
  const writing = Promise.withResolvers<void>()
  const duplex = new Duplex({
    read() {},
    write: (_chunk, _encoding, done) => void writing.promise.then(() => done()),
  })
  return { socket: duplex as Socket, written: writing.resolve }
}

it.each(['before', 'after'])(
  'a session gets the socket once its announcement is acknowledged and has left: the ACK comes %s that',
  async order => {
    const { socket, written } = slowSocket()
    const ready = Promise.withResolvers<void>()
    let isReady = false
    announceMaxStreams({ socket, maxStreams: 100, clock: systemClock(), timeoutMs: Number.POSITIVE_INFINITY }, () => {
      isReady = true
      ready.resolve()
    })
    const acknowledge = async (): Promise<void> => {
      const seen = once(socket, 'readable')
      socket.push(Buffer.concat([preface, settings, ack, ping]))
      await seen
    }
    if (order === 'after') written()
    else await acknowledge()
    await new Promise(resolve => setImmediate(resolve))
    expect(isReady).toBe(false)
    if (order === 'after') await acknowledge()
    else written()
    await ready.promise
    expect(socket.read()).toEqual(Buffer.concat([preface, settings, ping]))
    socket.destroy()
  },
)
