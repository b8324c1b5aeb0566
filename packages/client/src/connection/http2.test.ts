import { createServer } from 'node:http2'
import type { Socket } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import { expect, it } from 'vitest'
import { connectHttp2 } from './http2.ts'

const limits = { maxHeaderBytes: 65_536, streamWindowBytes: 1_048_576 }

/**
 * A wire that Node reads from within JavaScript, as it does when bytes come while a write is under way: it then gives
 * a stream's data at once and its head a tick later. What the server sends is delivered as one piece by `flush`.
 */
function heldWire(server: Duplex): { readonly socket: Socket; hold(): void; flush(): void; readonly held: string } {
  const [near, far] = duplexPair()
  let held: Buffer[] | undefined
  far.pipe(server)
  server.on('data', (chunk: Buffer) => (held === undefined ? far.write(chunk) : held.push(chunk)))
  server.on('end', () => far.end())
  return {
    socket: near as Socket,
    hold: () => {
      held = []
    },
    flush: () => {
      far.write(Buffer.concat(held ?? []))
      held = undefined
    },
    get held() {
      return Buffer.concat(held ?? []).toString('latin1')
    },
  }
}

it('R14: the head of an answer is delivered before its data, though Node gives the data first', async () => {
  const [near, far] = duplexPair()
  const server = createServer((_, response) => response.end('the body'))
  server.emit('connection', far)
  const wire = heldWire(near)
  const connection = await connectHttp2(new URL('http://server'), wire.socket, new AbortController().signal, limits)
  try {
    wire.hold()
    const log: string[] = []
    connection.request(
      { method: 'GET', path: '/', headers: {} },
      {
        head: status => log.push(`head ${status}`),
        data: chunk => log.push(`data ${Buffer.from(chunk)}`),
        end: () => log.push('end'),
        error: cause => log.push(`error ${cause.message}`),
      },
    )
    await expect.poll(() => wire.held).toContain('the body')
    wire.flush()
    await expect.poll(() => log.at(-1)).toBe('end')
    expect(log).toEqual(['head 200', 'data the body', 'end'])
  } finally {
    await connection.close()
    server.close()
  }
})
