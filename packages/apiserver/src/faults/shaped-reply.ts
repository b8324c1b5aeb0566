import type { Clock, Timer } from '../clock.ts'
import type { Peer, ServerReply } from '../exchange.ts'
import type { ResponseHeaders } from '../transport.ts'
import type { FaultEffect } from './fault-rule.ts'

/** The effects that cut off a body. */
type Cut = Extract<FaultEffect, { kind: 'rst' | 'break' | 'reset' | 'truncate' | 'hang' }>

const flushMs = 10

/** A reply as faults change it: late, slow, cut off at a byte. Everything else passes through. */
export class ShapedReply implements ServerReply {
  readonly #reply: ServerReply
  readonly #peer: Peer
  readonly #clock: Clock
  readonly #cut: Cut | undefined
  readonly #cutAt: number
  readonly #bytesPerSecond: number | undefined
  #sent = 0
  #over = false
  #headHeld: (() => void) | undefined
  #queue: Uint8Array[] = []
  #ending = false
  #blocked = false
  #timer: Timer | undefined
  #waiting: boolean
  #onDrain: () => void = () => undefined
  #onClose: () => void = () => undefined

  constructor(reply: ServerReply, peer: Peer, clock: Clock, effects: readonly FaultEffect[]) {
    this.#reply = reply
    this.#peer = peer
    this.#clock = clock
    this.#cut = effects.find((effect): effect is Cut =>
      ['rst', 'break', 'reset', 'truncate', 'hang'].includes(effect.kind),
    )
    this.#cutAt = this.#cut?.afterBytes ?? (this.#cut?.kind === 'truncate' ? 20 : 0)
    this.#bytesPerSecond = effects.find(effect => effect.kind === 'slow')?.bytesPerSecond
    const delay = effects.find(effect => effect.kind === 'delay')?.ms ?? 0
    this.#waiting = delay > 0
    if (this.#waiting) this.#timer = clock.timer(delay, () => this.#go())
    reply.onDrain(() => this.#pump())
    reply.onClose(() => {
      this.#over = true
      this.#timer?.cancel()
      this.#queue = []
      this.#onClose()
    })
  }

  head(status: number, headers: ResponseHeaders): void {
    // A body that is shorter than its announced length is no clean end: HTTP/1.1 would wait for the rest, HTTP/2 would reset the stream.
    const { 'content-length': _, ...rest } = headers
    const shaped = this.#cut?.kind === 'truncate' ? rest : headers
    this.#headHeld = () => this.#reply.head(status, shaped)
    this.#pump()
  }

  write(chunk: Uint8Array): boolean {
    if (this.#over) return true
    this.#queue.push(chunk)
    this.#pump()
    if (this.#queue.length > 0) this.#blocked = true
    return !this.#blocked
  }

  end(): void {
    this.#ending = true
    this.#pump()
  }

  rst(code?: number): void {
    this.#over = true
    this.#timer?.cancel()
    this.#reply.rst(code)
  }

  onDrain(fn: () => void): void {
    this.#onDrain = fn
  }

  onClose(fn: () => void): void {
    this.#onClose = fn
  }

  #go(): void {
    this.#waiting = false
    this.#pump()
  }

  #pump(): void {
    if (this.#waiting || this.#over) return
    if (this.#cut !== undefined && this.#sent >= this.#cutAt && this.#cut.kind !== 'truncate')
      return this.#finish(this.#cut)
    const head = this.#headHeld
    this.#headHeld = undefined
    head?.()
    while (this.#queue.length > 0) {
      const chunk = this.#queue.shift() as Uint8Array
      const allowed = this.#allowance(chunk)
      if (allowed < chunk.length) this.#queue.unshift(chunk.subarray(allowed))
      const writable = allowed === 0 || this.#reply.write(allowed === chunk.length ? chunk : chunk.subarray(0, allowed))
      this.#sent += allowed
      if (this.#cut !== undefined && this.#sent >= this.#cutAt) return this.#finish(this.#cut)
      if (this.#bytesPerSecond !== undefined) return this.#wait((allowed / this.#bytesPerSecond) * 1000)
      if (!writable) {
        this.#blocked = true
        return
      }
    }
    if (this.#ending) {
      this.#over = true
      this.#reply.end()
    } else if (this.#blocked) {
      this.#blocked = false
      this.#onDrain()
    }
  }

  /** The number of bytes of `chunk` that may be sent now. */
  #allowance(chunk: Uint8Array): number {
    let allowed = chunk.length
    // A slow body is sent in ten pieces a second.
    if (this.#bytesPerSecond !== undefined)
      allowed = Math.min(allowed, Math.max(1, Math.floor(this.#bytesPerSecond / 10)))
    if (this.#cut !== undefined) {
      const left = this.#cutAt - this.#sent
      allowed = Math.min(allowed, Math.max(0, left))
      const behindNewline = allowed > 0 && chunk[allowed - 1] === 10
      if (this.#cut.kind === 'truncate' && allowed === left && behindNewline && chunk.length > allowed) allowed++
    }
    return allowed
  }

  #wait(ms: number): void {
    this.#waiting = true
    this.#timer = this.#clock.timer(ms, () => this.#go())
  }

  #finish(cut: Cut): void {
    this.#over = true
    this.#queue = []
    // A destroyed connection drops its unsent bytes, so they get a moment to be sent.
    const afterBytes = (fn: () => void): void => {
      if (this.#sent === 0) fn()
      else this.#timer = this.#clock.timer(flushMs, fn)
    }
    switch (cut.kind) {
      case 'rst':
        return afterBytes(() => this.#reply.rst(cut.code))
      case 'break':
        return afterBytes(() => this.#peer.destroy())
      case 'reset':
        return afterBytes(() => this.#peer.reset())
      case 'truncate':
        return this.#reply.end()
      case 'hang':
        return
    }
  }
}
