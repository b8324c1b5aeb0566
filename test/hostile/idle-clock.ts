import { performance } from 'node:perf_hooks'
import type { Clock, Timer } from '@wherry/client'

interface Alarm {
  readonly time: number
  readonly order: number
  readonly fn: () => void
  readonly ms: number
  readonly made: Error
}

/** Quiet turns of the event loop after which nothing is on its way through the loopback any more. */
const quietTurns = 4
/** Resources of Node that end by themselves, in real time. */
const busy = /^(FSReq|GetAddrInfo|Zlib|BrotliDecoder|BrotliEncoder|CloseReq|TCPConnectWrap)/

function processes(): number {
  return process.getActiveResourcesInfo().filter(name => name === 'ProcessWrap').length
}

/**
 * Time that stands still while this process has anything to do, sockets, files and child processes included, and then jumps to the
 * next timer. Client and server share it, so that waits cost nothing.
 */
export class IdleClock implements Clock {
  readonly #start = 1_767_225_600_000
  readonly #alarms = new Set<Alarm>()
  #now = 0
  #order = 0
  #running = false
  /** Child processes that were there before, such as a server that other test files share. They may outlive this clock. */
  readonly #processes = processes()
  /** How many timers have fired. */
  jumps = 0

  now(): number {
    return this.#start + this.#now
  }

  monotonic(): number {
    return this.#now
  }

  timer(ms: number, fn: () => void): Timer {
    const alarm = { time: this.#now + Math.max(0, ms), order: this.#order++, fn, ms, made: new Error('made') }
    this.#alarms.add(alarm)
    return { cancel: () => void this.#alarms.delete(alarm), unref: () => {} }
  }

  turn(): Promise<void> {
    return new Promise(resolve => setImmediate(resolve))
  }

  /** The timers that are set, each with the place that set it. */
  pending(): string[] {
    return [...this.#alarms].map(
      ({ ms, made }) => `${ms} ms, ${(made.stack ?? '').split('\n').slice(2, 5).join(' < ')}`,
    )
  }

  /** Resolves at a simulated time. */
  wait(ms: number): Promise<void> {
    return new Promise(resolve => void this.timer(ms, resolve))
  }

  /** Lets time pass until `isMet`. Gives false when it was not within `ms` of simulated time. */
  async until(isMet: () => boolean, ms: number, realMs = 60_000): Promise<boolean> {
    if (this.#running) throw new Error('the clock is run by one caller at a time')
    this.#running = true
    const end = this.#now + ms
    const realEnd = performance.now() + realMs
    try {
      for (;;) {
        await this.#idle(isMet, realEnd)
        if (isMet()) return true
        if (performance.now() > realEnd) throw new Error(`no end after ${realMs} ms of real time`)
        const next = this.#next()
        if (next === undefined || next.time > end) {
          this.#now = Math.max(this.#now, end)
          return false
        }
        this.#alarms.delete(next)
        this.#now = Math.max(this.#now, next.time)
        this.jumps++
        next.fn()
      }
    } finally {
      this.#running = false
    }
  }

  /** Runs the event loop until nothing of this process moves. */
  async #idle(isMet: () => boolean, realEnd: number): Promise<void> {
    let events = -1
    for (let quiet = 0; quiet < quietTurns; ) {
      await this.turn()
      if (isMet() || performance.now() > realEnd) return
      const now = performance.nodeTiming.uvMetricsInfo.events
      if (now !== events) quiet = 0
      else if (++quiet === quietTurns && this.#isBusy) quiet = 0
      events = now
    }
  }

  get #isBusy(): boolean {
    return process.getActiveResourcesInfo().some(name => busy.test(name)) || processes() > this.#processes
  }

  #next(): Alarm | undefined {
    let first: Alarm | undefined
    for (const alarm of this.#alarms) {
      if (first === undefined || alarm.time < first.time || (alarm.time === first.time && alarm.order < first.order)) {
        first = alarm
      }
    }
    return first
  }
}
