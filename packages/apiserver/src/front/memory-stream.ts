import type { ServerReply } from '../exchange.ts'
import type { Exchange, RequestHead, ResponseHandlers, ResponseHeaders } from '../transport.ts'
import { INTERNAL_ERROR } from './memory-errors.ts'
import type { ServerFrame } from './memory-frames.ts'

/** The methods of its connection that a stream needs. */
export interface StreamHost {
  /** The maximum number of bytes of a response that are under way, or held for a client that does not read. */
  readonly windowBytes: number
  /** Whether frames of the server can still reach the client. */
  readonly writable: boolean
  sendToClient(frame: ServerFrame): void
  /** Reports that the client has read a number of bytes. */
  credit(stream: MemoryStream, bytes: number): void
  /** Called when the client ends a request that is under way. */
  cancel(stream: MemoryStream): void
  /** Called when the client has received the stream to its end, or stops reading it. */
  over(stream: MemoryStream): void
  /** Calls `fn` at the present time, in a later turn. */
  later(fn: () => void): void
  readonly trace: ((stream: MemoryStream, what: string) => void) | undefined
}

/** A request with its two ends: the client's {@link Exchange}, and the server's {@link ServerReply} in `reply`. */
export class MemoryStream implements Exchange {
  readonly id: number
  readonly head: RequestHead
  readonly reply: MemoryReply
  readonly #on: ResponseHandlers
  readonly #host: StreamHost
  #over = false
  #paused = false
  #held: Uint8Array[] = []
  #endHeld = false
  #resuming = false
  #read = 0
  #received = 0

  constructor(id: number, head: RequestHead, on: ResponseHandlers, host: StreamHost) {
    this.id = id
    this.head = head
    this.#on = on
    this.#host = host
    this.reply = new MemoryReply(this, host)
  }

  /** Whether the client has received the stream to its end, or stopped reading it. */
  get over(): boolean {
    return this.#over
  }

  /** Bytes of the response that the client holds and has not read. */
  get heldBytes(): number {
    return this.#held.reduce((sum, chunk) => sum + chunk.length, 0)
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    if (this.#resuming || (this.#held.length === 0 && !this.#endHeld)) return
    this.#resuming = true
    this.#host.later(() => {
      this.#resuming = false
      this.#readHeld()
    })
  }

  abort(): void {
    if (this.#over) return
    this.#host.trace?.(this, 'aborted')
    if (!this.#endHeld) this.#host.cancel(this)
    this.#close()
  }

  receiveHead(status: number, headers: ResponseHeaders): void {
    if (this.#over) return
    this.#host.trace?.(this, `< ${status}`)
    this.#on.head(status, headers)
  }

  receiveData(bytes: Uint8Array): void {
    if (this.#over) return
    this.#received += bytes.length
    if (this.#paused || this.#held.length > 0) this.#held.push(bytes)
    else this.#pass(bytes)
  }

  receiveEnd(): void {
    if (this.#over) return
    if (this.#paused || this.#held.length > 0) this.#endHeld = true
    else this.#end()
  }

  /** Breaks the response. Chunks that the client holds unread are lost. */
  fail(cause: Error): void {
    if (this.#over) return
    this.#close()
    this.#host.trace?.(this, `error ${cause.message}`)
    this.#on.error(cause)
  }

  toString(): string {
    const { method, path } = this.head
    return `stream ${this.id}: ${method} ${path} (${this.#received} bytes received${this.#paused ? ', paused' : ''})`
  }

  #readHeld(): void {
    while (!this.#paused && !this.#over) {
      const bytes = this.#held.shift()
      if (bytes === undefined) {
        if (this.#endHeld) this.#end()
        return
      }
      this.#pass(bytes)
    }
  }

  #pass(bytes: Uint8Array): void {
    this.#host.trace?.(this, `< ${bytes.length} bytes`)
    this.#read += bytes.length
    // As on a real connection, each half of the window is acknowledged, not each chunk.
    if (this.#read * 2 >= this.#host.windowBytes) {
      this.#host.credit(this, this.#read)
      this.#read = 0
    }
    this.#on.data(bytes)
  }

  #end(): void {
    this.#close()
    this.#host.trace?.(this, 'end')
    this.#on.end()
  }

  #close(): void {
    this.#over = true
    this.#held = []
    this.#host.over(this)
  }
}

/** The server's end of a {@link MemoryStream}. */
export class MemoryReply implements ServerReply {
  readonly #stream: MemoryStream
  readonly #host: StreamHost
  #state: 'begun' | 'headed' | 'ended' | 'over' = 'begun'
  #noBody: boolean
  #credit: number
  #waiting: Uint8Array[] = []
  #wantsDrain = false
  #onDrain: (() => void) | undefined
  #onClose: (() => void) | undefined

  constructor(stream: MemoryStream, host: StreamHost) {
    this.#stream = stream
    this.#host = host
    this.#noBody = stream.head.method === 'HEAD'
    this.#credit = host.windowBytes
  }

  head(status: number, headers: ResponseHeaders): void {
    if (this.#dead) return
    if (this.#state === 'headed') throw new Error(`a second head for ${this.#stream}`)
    this.#state = 'headed'
    this.#noBody ||= status === 204 || status === 304
    this.#host.sendToClient({ kind: 'head', stream: this.#stream, status, headers })
    if (this.#noBody) this.#host.sendToClient({ kind: 'end', stream: this.#stream })
  }

  write(chunk: Uint8Array): boolean {
    if (this.#dead || this.#noBody) return true
    if (this.#state === 'begun') throw new Error(`a body before its head for ${this.#stream}`)
    if (chunk.length > 0) this.#waiting.push(chunk)
    this.#flush()
    this.#wantsDrain = this.#waiting.length > 0 || this.#credit === 0
    return !this.#wantsDrain
  }

  end(): void {
    if (this.#dead) return
    if (this.#state === 'begun') throw new Error(`an end before its head for ${this.#stream}`)
    this.#state = 'ended'
    if (!this.#noBody) this.#flush()
  }

  rst(code: number = INTERNAL_ERROR): void {
    if (this.#dead) return
    this.#state = 'ended'
    this.#noBody = true
    this.#waiting = []
    this.#host.sendToClient({ kind: 'rst', stream: this.#stream, code })
  }

  onDrain(fn: () => void): void {
    this.#onDrain = fn
  }

  onClose(fn: () => void): void {
    if (this.#state === 'over') queueMicrotask(fn)
    else this.#onClose = fn
  }

  /** Adds the bytes that the client has read to the window. */
  receiveCredit(bytes: number): void {
    if (this.#state === 'over') return
    this.#credit += bytes
    this.#flush()
    if (!this.#wantsDrain || this.#waiting.length > 0 || this.#dead) return
    this.#wantsDrain = false
    this.#onDrain?.()
  }

  /** Ends the exchange, whichever side ended it. */
  close(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#waiting = []
    this.#onClose?.()
  }

  get #dead(): boolean {
    return this.#state === 'over' || this.#state === 'ended' || !this.#host.writable
  }

  /** Sends as much as fits into the window. */
  #flush(): void {
    while (this.#credit > 0) {
      const chunk = this.#waiting[0]
      if (chunk === undefined) break
      const bytes = chunk.length <= this.#credit ? chunk : chunk.subarray(0, this.#credit)
      if (bytes === chunk) this.#waiting.shift()
      else this.#waiting[0] = chunk.subarray(this.#credit)
      this.#credit -= bytes.length
      this.#host.sendToClient({ kind: 'data', stream: this.#stream, bytes })
    }
    if (this.#state === 'ended' && this.#waiting.length === 0 && !this.#noBody) {
      this.#noBody = true // the end is sent once
      this.#host.sendToClient({ kind: 'end', stream: this.#stream })
    }
  }
}
