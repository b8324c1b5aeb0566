import type { Clock } from '../clock.ts'
import { isTrue } from '../requests/request-info.ts'
import type { Responder } from '../responder.ts'
import { StatusError } from '../status.ts'
import type { ContainerCall, LogCall, LogHandler, LogLine } from './handlers.ts'

/** The part of a log that a client asks for. */
export interface AskedLog {
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines: number
  readonly limitBytes: number
  /** The start of the wanted lines, in milliseconds since 1970. */
  readonly since: number
}

export function askedLog(query: URLSearchParams, now: number): AskedLog {
  const number = (name: string, least: number): number => {
    const text = query.get(name)
    if (text === null || text === '') return Number.POSITIVE_INFINITY
    const value = Number(text)
    if (!Number.isSafeInteger(value))
      throw StatusError.badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`)
    if (value < least) {
      throw new StatusError(
        422,
        'Invalid',
        `PodLogOptions "" is invalid: ${name}: Invalid value: ${value}: must be greater than ${least === 0 ? 'or equal to 0' : '0'}`,
      )
    }
    return value
  }
  const seconds = number('sinceSeconds', 1)
  const time = query.get('sinceTime')
  // The server passes the time on in whole seconds.
  const sinceTime = time === null ? Number.NEGATIVE_INFINITY : Math.floor(Date.parse(time) / 1000) * 1000
  if (Number.isNaN(sinceTime)) throw StatusError.badRequest(`parsing time "${time}"`)
  return {
    follow: isTrue(query.get('follow')),
    previous: isTrue(query.get('previous')),
    timestamps: isTrue(query.get('timestamps')),
    tailLines: number('tailLines', 0),
    limitBytes: number('limitBytes', 1),
    since: Number.isFinite(seconds) ? now - seconds * 1000 : sinceTime,
  }
}

/** Sends a log. Resolves when the log has ended, or the client has gone. */
export async function sendLog(
  responder: Responder,
  container: Omit<ContainerCall, 'signal'>,
  asked: AskedLog,
  handler: LogHandler,
  clock: Clock,
): Promise<void> {
  const gone = new AbortController()
  let wake = (): void => {}
  responder.onDrain(() => wake())
  responder.onClose(() => {
    gone.abort(new Error('the client has gone'))
    wake()
  })
  const { follow, previous } = asked
  const tail = Number.isFinite(asked.tailLines) ? asked.tailLines : undefined
  const call: LogCall = { ...container, follow, previous, tail, signal: gone.signal }
  let left = asked.limitBytes
  const send = async (line: Timed): Promise<void> => {
    if (line.at < asked.since || left <= 0) return
    const text = Buffer.from(`${asked.timestamps ? `${line.time} ` : ''}${line.text}\n`).subarray(0, left)
    left -= text.length
    if (responder.send(text, 0)) return
    await new Promise<void>(resolve => {
      wake = resolve
    })
  }
  const lines = handler(call)
  if (follow && Symbol.asyncIterator in lines) {
    responder.startText()
    for await (const line of lines) {
      await send(timed(line, clock))
      if (gone.signal.aborted || left <= 0) break
    }
  } else {
    const last = new LastLines(asked.tailLines)
    for await (const line of lines) {
      last.add(timed(line, clock))
      if (gone.signal.aborted) break
    }
    responder.startText()
    for (const line of last.take()) await send(line)
  }
  responder.end()
}

interface Timed {
  readonly time: string
  /** The line's time in milliseconds since 1970. */
  readonly at: number
  readonly text: string
}

function timed(line: LogLine, clock: Clock): Timed {
  const { time, text } = typeof line === 'string' ? { time: new Date(clock.now()), text: line } : line
  const written = typeof time === 'string' ? time : time.toISOString()
  const at = Date.parse(written.replace(/(\.\d{3})\d+/, '$1'))
  return { time: withNanoseconds(written), at, text }
}

/** A time in the form of a kubelet: with nine digits behind the point. */
function withNanoseconds(time: string): string {
  const [, head = time, fraction = '', zone = ''] = /^(.*:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(time) ?? []
  return zone === '' ? time : `${head}.${fraction.padEnd(9, '0').slice(0, 9)}${zone}`
}

/** The last lines of a log. */
class LastLines {
  readonly #most: number
  #lines: Timed[] = []

  constructor(most: number) {
    this.#most = most
  }

  add(line: Timed): void {
    this.#lines.push(line)
    // Not at each line: moving all lines each time would need quadratic time.
    if (this.#lines.length > 2 * this.#most + 1000) this.#cut()
  }

  take(): readonly Timed[] {
    this.#cut()
    return this.#lines
  }

  #cut(): void {
    if (this.#lines.length > this.#most) this.#lines = this.#most === 0 ? [] : this.#lines.slice(-this.#most)
  }
}
