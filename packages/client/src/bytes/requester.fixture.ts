import type { Clock, Timer } from '../clock.ts'
import type { LaneRequest, Requester, RequestHandlers } from '../requester.ts'
import type { ResponseHeaders } from '../transport.ts'
import { lend } from './chunks.fixture.ts'

/** A request to a {@link FakeServer}, with methods to answer it. */
export class FakeRequest {
  readonly head: LaneRequest
  readonly query: URLSearchParams
  paused = false
  aborted = false
  readonly #on: RequestHandlers

  constructor(head: LaneRequest, on: RequestHandlers) {
    this.head = head
    this.query = new URLSearchParams(head.path.split('?')[1])
    this.#on = on
  }

  /** Answers with a head and, if given, the whole body and a clean end. */
  answer(status = 200, body?: string | object, headers: ResponseHeaders = {}): this {
    if (this.aborted) return this
    this.#on.head(status, headers)
    if (body !== undefined) this.send(typeof body === 'string' ? body : JSON.stringify(body)).end()
    return this
  }

  send(chunk: string | Uint8Array): this {
    if (!this.aborted) lend(chunk, lent => this.#on.data(lent))
    return this
  }

  end(): this {
    if (!this.aborted) this.#on.end()
    return this
  }

  break(message = 'reset'): this {
    if (!this.aborted) this.#on.error(new Error(message))
    return this
  }

  goAway(): this {
    this.#on.draining?.()
    return this
  }
}

/** Takes requests; the test answers them by hand. */
export class FakeServer implements Requester {
  readonly requests: FakeRequest[] = []
  readonly #waiting: (() => void)[] = []

  request(head: LaneRequest, on: RequestHandlers): { pause(): void; resume(): void; abort(): void } {
    const request = new FakeRequest(head, on)
    this.requests.push(request)
    for (const wake of this.#waiting.splice(0)) wake()
    return {
      pause() {
        request.paused = true
      },
      resume() {
        request.paused = false
      },
      abort() {
        request.aborted = true
      },
    }
  }

  get last(): FakeRequest {
    const request = this.requests.at(-1)
    if (request === undefined) throw new Error('there was no request')
    return request
  }

  /** Resolves with the request of this number, from 0 on. */
  async nth(number: number): Promise<FakeRequest> {
    while (this.requests.length <= number) await new Promise<void>(resolve => this.#waiting.push(resolve))
    return this.requests[number] as FakeRequest
  }
}

/** A clock that the test advances. */
export class HandClock implements Clock {
  time = 0
  readonly #turns: (() => void)[] = []
  readonly #timers = new Set<{ at: number; fn: () => void }>()

  now(): number {
    return this.time
  }

  monotonic(): number {
    return this.time
  }

  timer(ms: number, fn: () => void): Timer {
    const timer = { at: this.time + ms, fn }
    this.#timers.add(timer)
    return { cancel: () => this.#timers.delete(timer) }
  }

  turn(): Promise<void> {
    return new Promise(resolve => this.#turns.push(resolve))
  }

  /** How many turns are waited for. */
  get turns(): number {
    return this.#turns.length
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size
  }

  /** Lets every turn that is waited for come. */
  async turnAll(): Promise<void> {
    for (const resolve of this.#turns.splice(0)) resolve()
    await Promise.resolve()
    await Promise.resolve()
  }

  /** Goes on by `ms`, and fires the timers that are due. */
  advance(ms: number): void {
    this.time += ms
    for (const timer of this.#timers) {
      if (timer.at > this.time) continue
      this.#timers.delete(timer)
      timer.fn()
    }
  }
}
