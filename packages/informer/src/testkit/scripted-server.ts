import { ConnectionError } from '@wherry/client'
import type { ReadTarget } from '@wherry/client/internal'
import { type Simulation, simulate } from '@wherry/testing'
import type { ReflectorOptions } from '../reflector/options.ts'
import { Reflector } from '../reflector/reflector.ts'
import { asLine } from './asked.ts'
import { target } from './bench.ts'
import { RecordingWriter } from './recording-writer.ts'

type Client = ReflectorOptions['client']
type Requester = Client['raw']['requester']
type Handlers = Parameters<Requester['request']>[1]

/** A list or watch, and the means to answer it. Does nothing once it is over. */
export class ScriptedRequest {
  /** `stream`, `watch` or `list`, and the rest of the query. */
  readonly line: string
  isOver = false
  readonly #on: Handlers
  readonly #clock: Simulation['clock']

  constructor(line: string, on: Handlers, clock: Simulation['clock']) {
    this.line = line
    this.#on = on
    this.#clock = clock
  }

  answer(status = 200, headers: Readonly<Record<string, string>> = {}): this {
    if (!this.isOver) this.#on.head(status, headers)
    return this
  }

  /** Sends these, each on a line. */
  send(...values: readonly object[]): this {
    return this.text(values.map(value => `${JSON.stringify(value)}\n`).join(''))
  }

  text(text: string): this {
    if (!this.isOver) this.#on.data(Buffer.from(text))
    return this
  }

  /** Sends these one after the other, the first at once, and then calls `done`. */
  every(ms: number, values: Iterable<object>, done?: () => void): void {
    const rest = values[Symbol.iterator]()
    const next = (): void => {
      if (this.isOver) return
      const { value, done: isLast } = rest.next()
      if (isLast === true) return done?.()
      this.send(value)
      this.#clock.timer(ms, next)
    }
    next()
  }

  end(): void {
    if (this.isOver) return
    this.isOver = true
    this.#on.end()
  }

  break(unprocessed = false): void {
    if (this.isOver) return
    this.isOver = true
    this.#on.error(new ConnectionError(unprocessed ? 'CONNECT_FAILED' : 'CONNECTION_LOST', 'lost', { unprocessed }))
  }

  /** A list of these names, whole. */
  list(resourceVersion: string, ...names: readonly string[]): void {
    this.answer().send(listOf(resourceVersion, names)).end()
  }
}

/** A reflector with the test itself as its server, for answers that no real server gives. */
export interface ScriptedBench {
  readonly simulation: Simulation
  readonly reflector: Reflector
  readonly recording: RecordingWriter
  /** The requests, a line each: `stream rv=5`, `list`, `watch rv=5`. */
  readonly asked: string[]
  readonly states: string[]
  /** The errors that it reported to its owner. */
  readonly said: Error[]
  /** Resolves when so many requests have come. */
  askedFor(count: number): Promise<void>
}

/** @param serve answers each request, the `nth` from 0 on of its kind. */
export function scripted(
  serve: (request: ScriptedRequest, nth: number) => void,
  options: Partial<ReflectorOptions> = {},
  of: ReadTarget = target,
): ScriptedBench {
  const simulation = simulate(1)
  const { clock, environment } = simulation
  const asked: string[] = []
  const states: string[] = []
  const said: Error[] = []
  const counts = new Map<string, number>()
  const requester: Requester = {
    request({ path }, on) {
      const line = asLine(new URL(path, 'https://server').searchParams)
      const kind = line.split(' ')[0] as string
      const nth = counts.get(kind) ?? 0
      counts.set(kind, nth + 1)
      asked.push(line)
      const request = new ScriptedRequest(line, on, clock)
      clock.timer(1, () => serve(request, nth))
      const abort = (): void => {
        request.isOver = true
      }
      return { pause() {}, resume() {}, abort }
    },
  }
  const client = { environment, raw: { requester, environment } } as unknown as Client
  const on = { state: (state: string) => states.push(state), error: (error: Error) => said.push(error) }
  const reflector = new Reflector({ client, target: of, on, ...options })
  const recording = new RecordingWriter()
  reflector.add(recording)
  const askedFor = (count: number): Promise<void> => simulation.runUntil(() => asked.length >= count)
  return { simulation, reflector, recording, asked, states, said, askedFor }
}

/** An object as a server sends it in a watch. */
export function received(name: string, resourceVersion: string, more: object = {}): object {
  return {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace: 'ns', uid: name, resourceVersion, ...more },
  }
}

export function event(type: string, name: string, resourceVersion = '5', more: object = {}): object {
  return { type, object: received(name, resourceVersion, more) }
}

export function bookmark(resourceVersion: string, isEnd = false): object {
  const annotations = isEnd ? { 'k8s.io/initial-events-end': 'true' } : {}
  return {
    type: 'BOOKMARK',
    object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion, annotations } },
  }
}

export function listOf(resourceVersion: unknown, names: readonly string[], more: object = {}): object {
  const items = names.map(name => received(name, '5'))
  return { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion, ...more }, items }
}

/** The first words of lines: `['stream', 'list', 'watch']`. */
export function verbs(asked: readonly string[]): (string | undefined)[] {
  return asked.map(line => line.split(' ')[0])
}
