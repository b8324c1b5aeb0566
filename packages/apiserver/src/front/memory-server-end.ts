import type { Clock } from '../clock.ts'
import type { Handler, Peer } from '../exchange.ts'
import { isImpersonation, lineBreak } from '../impersonation-headers.ts'
import { integer } from '../random.ts'
import type { RequestHead } from '../transport.ts'
import { tooLargeStatus } from './body.ts'
import { cut } from './memory-chunks.ts'
import { PROTOCOL_ERROR, transportError } from './memory-errors.ts'
import type { ClientFrame, ServerFrame } from './memory-frames.ts'
import type { Pipe } from './memory-pipe.ts'
import type { MemoryStream } from './memory-stream.ts'

/** The options of the server's end of a connection. */
export interface MemoryServerEndOptions {
  readonly handler: Handler
  readonly clock: Clock
  readonly random: () => number
  readonly protocol: 'h2' | 'http/1.1'
  readonly certificate: Peer['certificate']
  readonly maxStreams: number
  readonly maxBodyBytes: number
}

const noBytes = new Uint8Array(0)

/** The server's end of one connection in memory. */
export class MemoryServerEnd {
  readonly #options: MemoryServerEndOptions
  readonly #host: string
  readonly #toClient: Pipe<ServerFrame>
  readonly #onClosed: () => void
  readonly #peer: Peer
  readonly #active = new Set<MemoryStream>()
  #state: 'open' | 'goaway' | 'closed' = 'open'
  #lastId = 0

  /** `host` is the host of the requests. `onClosed` is called when every exchange is over because this end is closed. */
  constructor(options: MemoryServerEndOptions, host: string, toClient: Pipe<ServerFrame>, onClosed: () => void) {
    this.#options = options
    this.#host = host
    this.#toClient = toClient
    this.#onClosed = onClosed
    this.#peer = {
      protocol: options.protocol,
      certificate: options.certificate,
      goaway: () => this.goaway(),
      destroy: () => this.#break(transportError('socket hang up', { code: 'ECONNRESET' })),
      reset: () => this.reset(),
    }
  }

  get closed(): boolean {
    return this.#state === 'closed'
  }

  receive(frame: ClientFrame): void {
    if (frame.kind === 'close') {
      this.#state = 'closed'
      this.#end()
    } else if (this.#state !== 'closed') {
      if (frame.kind === 'request') this.#accept(frame.stream)
      else if (frame.kind === 'credit') frame.stream.reply.receiveCredit(frame.bytes)
      else if (frame.kind === 'cancel') this.finish(frame.stream)
      else this.#toClient.send({ kind: 'pong', id: frame.id })
    }
  }

  send(frame: ServerFrame): void {
    // HTTP/1.1 can't end a response in the middle without closing the connection.
    if (frame.kind === 'rst' && this.#options.protocol === 'http/1.1') this.#peer.destroy()
    else this.#toClient.send(frame)
  }

  /** Ends an exchange. */
  finish(stream: MemoryStream): void {
    if (!this.#active.delete(stream)) return
    stream.reply.close()
    this.#closeWhenIdle()
  }

  goaway(): void {
    if (this.#state !== 'open') return
    this.#state = 'goaway'
    if (this.#options.protocol === 'h2') this.#toClient.send({ kind: 'goaway', lastId: this.#lastId })
    this.#closeWhenIdle()
  }

  reset(): void {
    const cause = transportError('read ECONNRESET', { code: 'ECONNRESET' })
    this.#loseSome()
    if (this.#state === 'closed') this.#toClient.send({ kind: 'close', cause })
    else this.#break(cause)
  }

  #accept(stream: MemoryStream): void {
    const { handler, maxStreams, maxBodyBytes, protocol } = this.#options
    // After a GOAWAY, requests are ignored: the client learns it from the frame, or on HTTP/1.1 from the close.
    if (this.#state !== 'open') return
    if (this.#active.size >= maxStreams && protocol === 'h2') {
      this.#toClient.send({ kind: 'rst', stream, code: PROTOCOL_ERROR })
      return
    }
    this.#lastId = stream.id
    this.#active.add(stream)
    const { method, path, headers, body = noBytes } = stream.head
    const request = { method, path, headers: { host: this.#host, ...joined(headers) }, body, peer: this.#peer }
    if (body.length <= maxBodyBytes) handler(request, stream.reply)
    else {
      stream.reply.head(413, { 'content-type': 'application/json' })
      stream.reply.write(Buffer.from(tooLargeStatus(maxBodyBytes)))
      stream.reply.end()
    }
  }

  #closeWhenIdle(): void {
    if (this.#state !== 'goaway' || this.#active.size > 0) return
    this.#state = 'closed'
    this.#toClient.send({ kind: 'close', cause: undefined })
  }

  /** Closes this end. The client receives the close after the bytes that are under way. */
  #break(cause: Error): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#toClient.send({ kind: 'close', cause })
    // In a later turn: the caller may be the handler of an exchange that ends here.
    this.#options.clock.timer(0, () => this.#end())
  }

  #end(): void {
    for (const stream of [...this.#active]) {
      this.#active.delete(stream)
      stream.reply.close()
    }
    this.#onClosed()
  }

  /** Drops frames under way to the client, but for a random number of bytes and the frames before them. */
  #loseSome(): void {
    const frames = this.#toClient.take()
    const total = frames.reduce((sum, frame) => sum + (frame.kind === 'data' ? frame.bytes.length : 0), 0)
    let left = integer(this.#options.random, 0, total)
    for (const frame of frames) {
      if (frame.kind !== 'data') this.#toClient.send(frame)
      else if (frame.bytes.length > left) {
        if (left > 0) this.#toClient.send(cut(frame, left)[0])
        return
      } else {
        left -= frame.bytes.length
        this.#toClient.send(frame)
      }
    }
  }
}

/** Joins headers as the fronts with sockets do: the lines of a name become one text. */
function joined(headers: RequestHead['headers']): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name] as string | readonly string[]
    texts[name] = typeof value === 'string' ? value : value.join(isImpersonation(name) ? lineBreak : ', ')
  }
  return texts
}
