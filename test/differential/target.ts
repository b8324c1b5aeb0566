import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'

/** A server to ask, with an administrator's credentials. */
export interface Reachable {
  readonly url: string
  readonly ca?: string | undefined
  readonly token: string
}

/** Headers of a request. A list is sent as several lines of one name. */
export type SentHeaders = Readonly<Record<string, string | string[]>>

/** A whole answer as it came. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
  /** The body, if it is no text. */
  readonly bytes: Buffer
}

/** A watch under way. */
export interface RawWatch {
  readonly status: number
  readonly headers: RawAnswer['headers']
  /** Lines so far. */
  readonly lines: readonly string[]
  /** Whether it has ended cleanly, or how it broke. */
  state(): 'open' | 'end' | Error
  /** Resolves when `done` holds of it; it is looked at whenever something comes. Rejects after `withinMs`. */
  until(done: (watch: RawWatch) => boolean, withinMs: number): Promise<void>
  close(): void
}

/** A bound, not a wait: the slowest answer is that to a resourceVersion which is not there yet, after 3 s. */
const answerWithinMs = 300_000

/** One of the servers compared, over HTTP/1.1. */
export class Target {
  readonly name: string
  readonly #server: Reachable
  #agent = new Agent({ keepAlive: true })

  constructor(name: string, server: Reachable) {
    this.name = name
    this.#server = server
  }

  ask(method: string, path: string, headers: SentHeaders, body?: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const sent = this.#send(method, path, { ...headers, ...length }, answer => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const bytes = Buffer.concat(chunks)
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: bytes.toString('utf8'), bytes })
        })
      })
      sent.on('error', reject)
      sent.setTimeout(answerWithinMs, () => sent.destroy(new Error(`${this.name} does not answer ${method} ${path}`)))
      sent.end(body)
    })
  }

  watch(path: string, headers: SentHeaders): Promise<RawWatch> {
    return new Promise((resolve, reject) => {
      const sent = this.#send('GET', path, headers, answer => resolve(watchOf(answer, () => sent.destroy())))
      sent.on('error', reject)
      sent.end()
    })
  }

  /** Forgets its connections, which a restart of the server breaks. */
  reconnect(): void {
    this.close()
    this.#agent = new Agent({ keepAlive: true })
  }

  close(): void {
    this.#agent.destroy()
  }

  #send(
    method: string,
    path: string,
    headers: SentHeaders,
    answered: (answer: IncomingMessage) => void,
  ): ReturnType<typeof request> {
    const { url, ca, token } = this.#server
    const { hostname, port } = new URL(url)
    const all: Record<string, string | string[]> = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...headers,
    }
    return request({ hostname, port, method, path, headers: all, ca, agent: this.#agent }, answered)
  }
}

function watchOf(answer: IncomingMessage, close: () => void): RawWatch {
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let state: 'open' | 'end' | Error = 'open'
  let rest = ''
  const changed = (): void => {
    for (const look of [...waiting]) look()
  }
  answer.setEncoding('utf8')
  answer.on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
    changed()
  })
  answer.on('end', () => {
    if (rest !== '') lines.push(rest)
    state = 'end'
    changed()
  })
  answer.on('error', cause => {
    if (state === 'open') state = cause
    changed()
  })
  const watch: RawWatch = {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    lines,
    state: () => state,
    close,
    until: (done, withinMs) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!done(watch)) return
          waiting.delete(look)
          clearTimeout(timer)
          resolve()
        }
        const timer = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`not within ${withinMs} ms; the watch is ${state}, its lines: ${lines.join('\n')}`))
        }, withinMs)
        waiting.add(look)
        look()
      }),
  }
  return watch
}
