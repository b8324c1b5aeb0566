import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { Clock } from '@wherry/apiserver/clock'
import { createCertificateAuthority } from '@wherry/apiserver/front/certificates'
import { listen } from '@wherry/apiserver/front/sockets'
import { askHttp2, http2Client, RawClient, until } from '@wherry/apiserver/front/testkit/clients'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WireConnection } from './faults.ts'
import { startWire, type Wire, type WireOptions } from './wire.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A server that keeps its sockets and what each of them sent. */
let target: { port: number; sockets: Socket[]; received: string[]; endings: string[] }
beforeEach(async () => {
  const sockets: Socket[] = []
  const received: string[] = []
  const endings: string[] = []
  const server: Server = createServer({ allowHalfOpen: true }, socket => {
    const at = sockets.push(socket) - 1
    received[at] = ''
    let error: NodeJS.ErrnoException | undefined
    socket.on('data', bytes => {
      received[at] += bytes.toString('latin1')
    })
    socket.on('end', () => {
      endings[at] = 'end'
    })
    socket.on('error', cause => {
      error = cause
    })
    socket.on('close', () => {
      endings[at] = error?.code ?? 'closed'
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  target = { port: (server.address() as { port: number }).port, sockets, received, endings }
})

async function open(options: Partial<WireOptions> = {}): Promise<Wire> {
  const wire = await startWire({ target: { host: '127.0.0.1', port: target.port }, ...options })
  closing.push(() => wire.close())
  return wire
}

/** A client through the wire, with the server's end of it. */
async function pair(wire: Wire): Promise<{ client: RawClient; server: Socket; at: number; link: WireConnection }> {
  const before = target.sockets.length
  const client = await RawClient.open(wire.port)
  closing.push(() => client.socket.destroy())
  await until(() => target.sockets.length > before)
  const [server, link] = [target.sockets[before], wire.connections().at(-1)]
  if (server === undefined || link === undefined) throw new Error('no connection')
  return { client, server, at: before, link }
}

/** Some turns of the event loop, in which what could pass would have passed. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 100; i++) await new Promise<void>(resolve => setImmediate(resolve))
}

function manualClock(): Clock & { advance(ms: number): void; pending(): number } {
  let now = 0
  const timers = new Set<{ at: number; fn: () => void }>()
  return {
    now: () => now,
    monotonic: () => now,
    timer(ms, fn) {
      const timer = { at: now + ms, fn }
      timers.add(timer)
      return { cancel: () => timers.delete(timer) }
    },
    turn: () => Promise.resolve(),
    advance(ms) {
      const end = now + ms
      for (;;) {
        const next = [...timers].filter(timer => timer.at <= end).sort((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        timers.delete(next)
        now = next.at
        next.fn()
      }
      now = end
    },
    pending: () => timers.size,
  }
}

describe('carrying', () => {
  it('F2: carries bytes both ways, the end of either side, and counts', async () => {
    const wire = await open()
    const { client, server, at, link } = await pair(wire)
    client.socket.write('question')
    await until(() => target.received[at] === 'question')
    server.end('answer!')
    expect(await client.ended).toBe('closed')
    expect(client.text).toBe('answer!')
    await until(() => target.endings[at] === 'closed' && !link.open)
    expect(link).toMatchObject({ id: 1, bytesUp: 8, bytesDown: 7 })
    expect(wire.stats()).toEqual({ accepted: 1, open: 0, bytesUp: 8, bytesDown: 7 })
    expect(wire.connections()).toEqual([])
  })

  it('carries a half-closed connection on: the server answers after its client has ended', async () => {
    const wire = await open()
    const { client, server, at } = await pair(wire)
    client.socket.allowHalfOpen = true
    client.socket.end('question')
    await until(() => target.endings[at] === 'end')
    server.end('answer')
    await client.ended
    expect(client.text).toBe('answer')
  })

  it('carries a reset as a reset, either way', async () => {
    const wire = await open()
    const one = await pair(wire)
    one.client.socket.resetAndDestroy()
    await until(() => target.endings[one.at] === 'ECONNRESET')
    const two = await pair(wire)
    two.server.resetAndDestroy()
    expect(await two.client.ended).toBe('ECONNRESET')
  })

  it('resets a client if the target refuses', async () => {
    const nowhere = await open()
    const wire = await open({ target: { host: '127.0.0.1', port: nowhere.port } })
    await nowhere.close()
    expect(await (await RawClient.open(wire.port)).ended).toBe('ECONNRESET')
    await until(() => wire.stats().open === 0)
  })

  it('holds a fast sender back when the receiver does not read', async () => {
    const wire = await open()
    const { client, server, link } = await pair(wire)
    client.socket.pause()
    const chunk = Buffer.alloc(1024 * 1024)
    let sent = 0
    const send = () => {
      while (sent < 100 && server.write(chunk)) sent++
    }
    server.on('drain', send)
    send()
    let last = -1
    while (last !== link.bytesDown) {
      last = link.bytesDown
      await quiet()
    }
    expect(sent).toBeLessThan(100)
    client.socket.resume()
    await until(() => sent === 100)
  })

  it('carries any bytes exactly, through any freezing, thawing, slowing and chunking', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 5000 }), { minLength: 1, maxLength: 10 }),
        fc.array(fc.constantFrom('freeze', 'up', 'down', 'thaw', 'slow', 'fast', 'late'), { maxLength: 10 }),
        async (chunks, faults) => {
          const wire = await open()
          const { client, server, at } = await pair(wire)
          const steps = Math.max(chunks.length, faults.length)
          for (let i = 0; i < steps; i++) {
            const fault = faults[i]
            if (fault === 'freeze') wire.freeze()
            else if (fault === 'up' || fault === 'down') wire.freeze(fault)
            else if (fault === 'thaw') wire.thaw()
            else if (fault === 'slow') wire.shape({ bytesPerSecond: 1_000_000 })
            else if (fault === 'late') wire.shape({ delayMs: 2 })
            else if (fault === 'fast') wire.shape({})
            const chunk = chunks[i]
            if (chunk !== undefined) {
              client.socket.write(chunk)
              server.write(chunk)
            }
            await new Promise<void>(resolve => setImmediate(resolve))
          }
          wire.thaw()
          const all = Buffer.concat(chunks)
          client.socket.end()
          server.end()
          await until(() => target.endings[at] === 'closed')
          await client.ended
          expect(target.received[at]).toBe(all.toString('latin1'))
          expect(client.bytes.equals(all)).toBe(true)
          await wire.close()
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('freezing', () => {
  it('F2: a frozen wire passes nothing and closes nothing, though both sides go; thawed, it delivers all of it', async () => {
    const wire = await open()
    const { client, server, at } = await pair(wire)
    wire.freeze()
    client.socket.write('lost?')
    server.write('lost too?')
    await quiet()
    expect([target.received[at], client.text]).toEqual(['', ''])
    server.destroy()
    await quiet()
    expect(client.socket.destroyed).toBe(false)
    wire.thaw()
    expect(await client.ended).toMatch(/closed|ECONNRESET/)
  })

  it('F2: freezes one direction and lets the other pass', async () => {
    const wire = await open()
    const { client, server, at, link } = await pair(wire)
    link.freeze('down')
    client.socket.write('up')
    server.write('down')
    await until(() => target.received[at] === 'up')
    await quiet()
    expect(client.text).toBe('')
    link.thaw()
    await until(() => client.text === 'down')
    wire.freeze('up')
    client.socket.write(' more')
    server.write(' more')
    await until(() => client.text === 'down more')
    expect(target.received[at]).toBe('up')
    wire.thaw()
    await until(() => target.received[at] === 'up more')
  })

  it('F2: freezes one connection and spares the others; a frozen wire freezes new ones too', async () => {
    const wire = await open()
    const [one, two] = [await pair(wire), await pair(wire)]
    one.link.freeze()
    one.server.write('x')
    two.server.write('y')
    await until(() => two.client.text === 'y')
    expect(one.client.text).toBe('')
    wire.freeze()
    const three = await pair(wire)
    three.server.write('z')
    await quiet()
    expect(three.client.text).toBe('')
    wire.thaw()
    await until(() => one.client.text === 'x' && three.client.text === 'z')
  })
})

describe('breaking', () => {
  it('F2: cuts in the middle of a transfer, to the byte', async () => {
    const wire = await open()
    const down = await pair(wire)
    down.server.write('12345')
    await until(() => down.client.text === '12345')
    down.link.cut({ afterBytes: 7 })
    down.server.write('abcdefghijkl')
    expect(await down.client.ended).toBe('closed')
    expect(down.client.text).toBe('12345abcdefg')
    const up = await pair(wire)
    wire.cut({ afterBytes: 3, direction: 'up' })
    up.client.socket.write('12345')
    expect(await up.client.ended).toBe('closed')
    await until(() => target.endings[up.at] === 'end')
    expect(target.received[up.at]).toBe('123')
    const now = await pair(wire)
    wire.cut()
    expect(await now.client.ended).toBe('closed')
    for (const socket of target.sockets) socket.destroy()
    await until(() => wire.stats().open === 0)
  })

  it('F2: forgets a cut connection if its server never closes', async () => {
    const clock = manualClock()
    const wire = await open({ clock })
    const { link } = await pair(wire)
    link.cut()
    await quiet()
    expect(link.open).toBe(true)
    clock.advance(500)
    await until(() => !link.open)
    expect(clock.pending()).toBe(0)
  })

  it('F2: resets live connections towards both sides', async () => {
    const wire = await open()
    const [one, two] = [await pair(wire), await pair(wire)]
    one.link.reset()
    expect(await one.client.ended).toBe('ECONNRESET')
    await until(() => target.endings[one.at] === 'ECONNRESET')
    expect(two.link.open).toBe(true)
    wire.reset()
    expect(await two.client.ended).toBe('ECONNRESET')
    await until(() => target.endings[two.at] === 'ECONNRESET')
  })

  it('F2: refuses new connections while old ones live on', async () => {
    const wire = await open()
    const { client, server } = await pair(wire)
    await wire.refuse(true)
    await expect(RawClient.open(wire.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    server.write('alive')
    await until(() => client.text === 'alive')
    await wire.refuse(false)
    await pair(wire)
  })

  it('lets a new connection be shaped before a byte has passed', async () => {
    const wire = await open({ onConnection: connection => connection.cut({ afterBytes: 2, direction: 'up' }) })
    const { client, at } = await pair(wire)
    client.socket.write('12345')
    await client.ended
    expect(target.received[at]).toBe('12')
  })
})

describe('slowing', () => {
  it('F2: delays every byte by as long, the end too', async () => {
    const clock = manualClock()
    const wire = await open({ clock })
    const { client, server, at } = await pair(wire)
    wire.shape({ delayMs: 100 }, 'down')
    client.socket.write('at once')
    await until(() => target.received[at] === 'at once')
    server.end('late')
    await quiet()
    clock.advance(99)
    await quiet()
    expect(client.text).toBe('')
    clock.advance(1)
    await until(() => client.text === 'late')
    clock.advance(100)
    await client.ended
  })

  it('F2: passes no more bytes a second than its options allow', async () => {
    const clock = manualClock()
    const wire = await open({ clock })
    const { client, server } = await pair(wire)
    wire.shape({ bytesPerSecond: 1000 })
    server.write(Buffer.alloc(5000, 'x'))
    await until(() => clock.pending() > 0)
    for (const second of [1, 2, 3, 4]) {
      clock.advance(1000)
      await until(() => client.bytes.length >= 1000 * second - 20)
      expect(client.bytes.length).toBeLessThanOrEqual(1000 * second)
    }
    wire.shape({})
    await until(() => client.bytes.length === 5000)
    expect(clock.pending()).toBe(0)
  })
})

describe('life of a wire', () => {
  it('closes open connections, frozen and slow ones too, and leaves neither socket nor timer', async () => {
    const clock = manualClock()
    const wire = await startWire({ target: { host: '127.0.0.1', port: target.port }, clock })
    const [one, two, three] = [await pair(wire), await pair(wire), await pair(wire)]
    one.link.freeze()
    two.link.shape({ bytesPerSecond: 1, delayMs: 5 })
    two.server.write('never')
    three.link.cut()
    await until(() => clock.pending() === 2)
    expect(wire.close()).toBe(wire.close())
    await wire.close()
    expect([clock.pending(), wire.stats().open]).toEqual([0, 0])
    await Promise.all([one.client.ended, two.client.ended, three.client.ended])
    await expect(RawClient.open(wire.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('X6: names an option that it can not take', async () => {
    const wire = await open()
    const code = 'ERR_WHERRY_OPTION'
    expect(() => wire.shape({ delayMs: -1 })).toThrow(expect.objectContaining({ code, option: 'delayMs' }))
    expect(() => wire.shape({ bytesPerSecond: 0 })).toThrow(expect.objectContaining({ code, option: 'bytesPerSecond' }))
    expect(() => wire.shape({ delayMs: Number.NaN })).toThrow(expect.objectContaining({ code, option: 'delayMs' }))
    expect(() => wire.cut({ afterBytes: 1.5 })).toThrow(expect.objectContaining({ code, option: 'afterBytes' }))
  })

  it('F2: works below TLS: a frozen HTTP/2 session answers no PING, and a thawed one goes on', async () => {
    const ca = createCertificateAuthority()
    const { certPem, keyPem } = ca.issueServer()
    const front = await listen({
      tls: { cert: certPem, key: keyPem },
      handler: (_, reply) => {
        reply.head(200, {})
        reply.write(Buffer.from('ok'))
        reply.end()
      },
    })
    closing.push(() => front.close())
    const wire = await open({ target: { host: '127.0.0.1', port: front.port } })
    const session = http2Client(`https://127.0.0.1:${wire.port}`, { ca: ca.caPem })
    closing.push(() => session.destroy())
    expect(await askHttp2(session, {})).toMatchObject({ status: 200, ending: 'end' })
    wire.freeze()
    let answered = false
    const pong = new Promise<void>(resolve =>
      session.ping(() => {
        answered = true
        resolve()
      }),
    )
    await quiet()
    expect(answered).toBe(false)
    wire.thaw()
    await pong
    expect(await askHttp2(session, {})).toMatchObject({ status: 200, body: Buffer.from('ok') })
    const last = askHttp2(session, {})
    wire.cut({ afterBytes: 10 })
    expect((await last).ending).not.toBe('end')
  })
})
