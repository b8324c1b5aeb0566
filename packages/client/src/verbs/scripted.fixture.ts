import { type MemoryTransportOptions, type RecordedEnvironment, simulate } from '@wherry/testing'
import { memoryTransport } from '@wherry/testing/internal'
import { Client, type ClientSettings } from '../client.ts'

type ServerRequest = Parameters<MemoryTransportOptions['handler']>[0]

/** A request in a script. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** As text. */
  readonly body: string
}

/** The answer of a script: JSON, or a text; `'lost'`: the connection breaks; `'hang'`: no answer ever comes. */
export type ScriptedAnswer =
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string | readonly string[]>>
      readonly body?: unknown
      readonly text?: string | Uint8Array
      /** How long the answer takes, in milliseconds. @default 0 */
      readonly afterMs?: number
    }
  | 'lost'
  | 'hang'

export interface Scripted {
  readonly client: Client
  readonly environment: RecordedEnvironment
  /** All that was asked. */
  readonly requests: SeenRequest[]
  /** Milliseconds since the start, simulated. */
  now(): number
  run<T>(fn: () => T): Promise<Awaited<T>>
  advance(ms: number): Promise<void>
  /** The pending work. Empty when everything has ended. */
  pending(): string[]
}

/** A client in memory with a function that answers its requests, on simulated time. */
export function scripted(
  answer: (request: SeenRequest, nth: number) => ScriptedAnswer,
  options: ClientSettings = {},
): Scripted {
  const simulation = simulate(1)
  const { clock, environment, random } = simulation
  const requests: SeenRequest[] = []
  const transport = memoryTransport({
    clock,
    random: random.fork('network'),
    handler(request: ServerRequest, reply) {
      const seen = {
        method: request.method,
        path: request.path,
        headers: request.headers,
        body: Buffer.from(request.body).toString(),
      }
      requests.push(seen)
      const answered = answer(seen, requests.length)
      if (answered === 'hang') return
      if (answered === 'lost') {
        request.peer.reset()
        return
      }
      const { status = 200, headers = {}, body = {}, text, afterMs = 0 } = answered
      const send = (): void => {
        reply.head(status, { 'content-type': text === undefined ? 'application/json' : 'text/plain', ...headers })
        reply.write(Buffer.from(text ?? JSON.stringify(body)))
        reply.end()
      }
      if (afterMs === 0) send()
      else clock.timer(afterMs, send)
    },
  })
  const client = new Client({ url: 'http://localhost', transport, environment, ...options })
  const begun = clock.monotonic()
  return {
    client,
    environment,
    requests,
    now: () => clock.monotonic() - begun,
    run: fn => simulation.run(fn),
    advance: ms => simulation.advance(ms),
    pending: () => simulation.pending(),
  }
}

/** A `Status`, as the API server refuses. */
export function refusal(code: number, reason: string, more: object = {}): ScriptedAnswer {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' }
  return { status: code, body: { ...status, message: `${reason} it is`, reason, code, ...more } }
}
