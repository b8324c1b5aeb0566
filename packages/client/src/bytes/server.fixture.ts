import {
  type EmbeddedApiServer,
  type EmbeddedOptions,
  type MemoryTransport,
  type Simulation,
  simulate,
  startApiServer,
} from '@wherry/testing'
import { afterEach } from 'vitest'
import { NodeTransport } from '../connection/node-transport.ts'
import { ConnectionPool } from '../connection/pool.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { systemEnvironment } from '../environment.ts'
import { type ReadTarget, targetsOf } from '../list/target.ts'
import { defineResource, type Resource, type View } from '../views/resource.ts'
import type { WatchContext } from '../watch/watch.ts'

export const configMaps: Resource<object> = defineResource<object>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
})

/** A ConfigMap in the namespace `ns`. */
export function configMap(name: string, data: Record<string, string> = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'ns' }, data }
}

/** Text that looks like the border of two items, and more that is easily misread. */
export const hostile = '},{"metadata":{"name":"x"}},\n"}],ü€𝄞\\'

/** ConfigMaps of growing size, full of {@link hostile}. */
export function hostileConfigMaps(count: number): object[] {
  return Array.from({ length: count }, (_, i) =>
    configMap(`c${`${i}`.padStart(5, '0')}`, { a: hostile.repeat(i % 40) }),
  )
}

/** The read target of a view of all namespaces, or of one. */
export function only(view: View): ReadTarget {
  return targetsOf(view)[0] as ReadTarget
}

/** An API server with a client. */
export interface Served {
  readonly server: EmbeddedApiServer
  readonly context: WatchContext
  /** Sends a write, and gives the answer's status. */
  write(method: string, path: string, body?: object): Promise<number>
  close(): Promise<void>
}

export interface Simulated extends Served {
  readonly simulation: Simulation
  readonly transport: MemoryTransport
}

/** The server has only the objects that the test creates. */
const empty = { clusterObjects: false } as const

/** A server and a client in memory, on the time of one seed. */
export async function simulated(
  seed: number,
  options: Omit<EmbeddedOptions, 'sockets' | 'clock' | 'random'> & { readonly protocol?: 'h2' | 'http/1.1' } = {},
): Promise<Simulated> {
  const { protocol = 'h2', ...serverOptions } = options
  const simulation = simulate(seed)
  const random = simulation.random.fork('server')
  const server = await startApiServer({
    ...empty,
    ...serverOptions,
    isolate: false,
    sockets: false,
    clock: simulation.clock,
    random,
  })
  const transport = server.transport({ protocol, random: simulation.random.fork('network') })
  const { environment } = simulation
  const pool = new ConnectionPool({
    target: new URL(server.url),
    transport,
    environment,
    credentials: bearer(server.token),
  })
  const context: WatchContext = { requester: pool, environment }
  const both = served(server, context, pool)
  return { ...both, simulation, transport, close: () => simulation.run(() => both.close()) }
}

/** A server on loopback with a client. */
export async function overSockets(
  options: EmbeddedOptions & { readonly protocol?: 'h2' | 'http/1.1' } = {},
): Promise<Served> {
  const { protocol = 'h2', ...serverOptions } = options
  const server = await startApiServer({ ...empty, ...serverOptions, isolate: false })
  const { ca } = server
  const credentials: Credentials = { ...bearer(server.token), tls: () => ({ ca }) }
  const environment = systemEnvironment()
  const pool = new ConnectionPool({
    target: new URL(server.url),
    transport: new NodeTransport({ credentials, protocol }),
    environment,
    credentials,
  })
  return served(server, { requester: pool, environment }, pool)
}

/** `make`, but its servers and clients are closed after each test. To be called at the top of a test file. */
export function closedAfterEach<A extends unknown[], S extends Served>(
  make: (...args: A) => Promise<S>,
): (...args: A) => Promise<S> {
  const open: Served[] = []
  afterEach(async () => {
    for (const served of open.splice(0)) await served.close()
  })
  return async (...args) => {
    const served = await make(...args)
    open.push(served)
    return served
  }
}

function bearer(token: string): Credentials {
  return {
    headers: () => ({ authorization: `Bearer ${token}` }),
    tls: () => ({}),
    digest: () => '',
    refresh: () => Promise.resolve(false),
  }
}

function served(server: EmbeddedApiServer, context: WatchContext, pool: ConnectionPool): Served {
  return {
    server,
    context,
    write(method, path, body) {
      const headers: Record<string, string> = { accept: 'application/json' }
      if (body !== undefined) {
        headers['content-type'] = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      }
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
      return new Promise((resolve, reject) => {
        let answered = 0
        pool.request(
          { method, path, headers, body: bytes, lane: 'write' },
          {
            head(status) {
              answered = status
            },
            data() {},
            end: () => resolve(answered),
            error: reject,
          },
        )
      })
    },
    async close() {
      await pool.close()
      await server.close()
    },
  }
}
