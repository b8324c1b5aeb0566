import { type Simulation, simulate } from '@wherry/testing'
import type { EmbeddedApiServer } from '../api-server.ts'
import type { MemoryTransport, MemoryTransportOptions } from '../front/memory.ts'
import type { EmbeddedOptions } from '../options.ts'
import { startEmbeddedApiServer } from '../start-embedded.ts'
import type { Connection, Exchange, ResponseHeaders } from '../transport.ts'

/** A whole answer. */
export interface Answer {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly text: string
  /** The body as JSON. Throws if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  readonly json: any
}

/** An event of a watch. */
export interface WatchEvent {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly object: any
}

/** An open watch. */
export interface OpenWatch {
  readonly events: WatchEvent[]
  readonly lines: string[]
  /** `open`, `end` (clean) or the error that broke it. */
  state(): 'open' | 'end' | Error
  status(): number
  pause(): void
  resume(): void
  abort(): void
}

/** What a test does its requests with. */
export interface Kit {
  readonly sim: Simulation
  readonly server: EmbeddedApiServer
  readonly transport: MemoryTransport
  connection(): Promise<Connection>
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Creates a ConfigMap in `default` (or the namespace given) and returns it. */
  configMap(
    name: string,
    more?: { namespace?: string; labels?: Record<string, string>; data?: Record<string, string> },
  ): Promise<Answer['json']>
  watch(path: string, headers?: Record<string, string>): Promise<OpenWatch>
}

export const merge: Record<string, string> = { 'content-type': 'application/merge-patch+json' }
export const jsonPatchType: Record<string, string> = { 'content-type': 'application/json-patch+json' }
export const cm = '/api/v1/namespaces/default/configmaps'
export const sie = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'

/** Runs `test` against a fresh server in memory, on simulated time. */
export async function withServer(
  test: (kit: Kit) => Promise<void>,
  options: EmbeddedOptions & { readonly seed?: number; readonly network?: Partial<MemoryTransportOptions> } = {},
): Promise<void> {
  const { seed = 1, network = {}, ...rest } = options
  const sim = simulate(seed)
  await sim.run(async () => {
    const server = await startEmbeddedApiServer({
      sockets: false,
      clock: sim.clock,
      random: sim.random.fork('server'),
      // A test finds what it created, and nothing else.
      clusterObjects: false,
      ...rest,
      isolate: false,
    })
    const transport = server.transport({ random: sim.random.fork('network'), ...network })
    let shared: Promise<Connection> | undefined
    const connect = (): Promise<Connection> => transport.connect(new URL(server.url), new AbortController().signal)
    const connection = (): Promise<Connection> => {
      const forget = (): void => {
        shared = undefined
      }
      shared ??= connect().then(
        made => {
          made.onClose(forget)
          return made
        },
        error => {
          forget()
          throw error
        },
      )
      return shared
    }
    const call: Kit['call'] = async (method, path, body, headers = {}) => {
      const link = await connection()
      return new Promise((resolve, reject) => {
        let status = 0
        let answerHeaders: ResponseHeaders = {}
        const chunks: Uint8Array[] = []
        const given = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
        const bytes = body === undefined ? undefined : Buffer.from(given ? (body as string) : JSON.stringify(body))
        link.request(
          { method, path, headers, ...(bytes === undefined ? {} : { body: bytes }) },
          {
            head(code, received) {
              status = code
              answerHeaders = received
            },
            data: chunk => void chunks.push(Uint8Array.from(chunk)),
            end() {
              const raw = Buffer.concat(chunks)
              const text = raw.toString('utf8')
              resolve({
                status,
                headers: answerHeaders,
                text,
                get json() {
                  return JSON.parse(text)
                },
              })
            },
            error: reject,
          },
        )
      })
    }
    const watch: Kit['watch'] = async (path, headers = {}) => {
      const link = await connection()
      let state: 'open' | 'end' | Error = 'open'
      let status = 0
      let rest = Buffer.alloc(0)
      const events: WatchEvent[] = []
      const lines: string[] = []
      const exchange: Exchange = link.request(
        { method: 'GET', path, headers },
        {
          head(code) {
            status = code
          },
          data(chunk) {
            rest = Buffer.concat([rest, chunk])
            for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10)) {
              const line = rest.subarray(0, at).toString('utf8')
              rest = rest.subarray(at + 1)
              lines.push(line)
              if (line.startsWith('{"type"')) events.push(JSON.parse(line) as WatchEvent)
            }
          },
          end() {
            if (rest.length > 0) lines.push(rest.toString('utf8'))
            state = 'end'
          },
          error(cause) {
            state = cause
          },
        },
      )
      return {
        events,
        lines,
        state: () => state,
        status: () => status,
        pause: () => exchange.pause(),
        resume: () => exchange.resume(),
        abort: () => exchange.abort(),
      }
    }
    const configMap: Kit['configMap'] = async (name, { namespace = 'default', labels, data } = {}) => {
      const metadata = { name, ...(labels === undefined ? {} : { labels }) }
      const answer = await call('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
        metadata,
        ...(data ? { data } : {}),
      })
      return answer.json
    }
    try {
      await test({ sim, server, transport, connection, call, configMap, watch })
    } finally {
      await server.close()
    }
  })
}

/** Events in short: `ADDED a`, `BOOKMARK 7`, `BOOKMARK 7 end`, `ERROR 410`. */
export function brief(events: readonly WatchEvent[]): string[] {
  return events.map(({ type, object }) => {
    if (type === 'ERROR') return `ERROR ${object.code}`
    if (type !== 'BOOKMARK') return `${type} ${object.metadata.name}`
    const end = object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true'
    return `BOOKMARK ${object.metadata.resourceVersion}${end ? ' end' : ''}`
  })
}

/** A definition of `games.arcade.example.com` to create. */
export function gameDefinition(
  versions: readonly Record<string, unknown>[] = [{ name: 'v1', served: true, storage: true }],
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'games.arcade.example.com' },
    spec: {
      group: 'arcade.example.com',
      scope: 'Namespaced',
      names: { plural: 'games', kind: 'Game', shortNames: ['gm'] },
      versions: versions.map(version => ({
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        ...version,
      })),
      ...more,
    },
  }
}

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
export const games = '/apis/arcade.example.com/v1/namespaces/default/games'

/** A game to create. */
export function game(name: string, spec: Record<string, unknown> = {}, more: Record<string, unknown> = {}): object {
  return { apiVersion: 'arcade.example.com/v1', kind: 'Game', metadata: { name, ...more }, spec }
}
