import { performance } from 'node:perf_hooks'
import { type Connection, choose, integer, simulate, startApiServer } from '@wherry/testing'
import type { Metrics } from '../../harness/bench.ts'

const OPERATIONS = 200
const MEASURE_MS = 3000
const NAMESPACE = '/api/v1/namespaces/default/configmaps'

/** Random runs, one seed after the other, for three seconds: each a server, a connection and 200 operations in memory. */
export async function run(): Promise<Metrics> {
  for (let seed = 1; seed <= 10; seed++) await randomRun(seed)
  let runs = 0
  const begin = performance.now()
  while (performance.now() - begin < MEASURE_MS) {
    runs++
    await randomRun(1000 + runs)
  }
  return { runs_per_s: runs / ((performance.now() - begin) / 1000) }
}

/** One random run: a server, a connection and 200 operations in memory. */
export async function randomRun(seed: number): Promise<void> {
  const simulation = simulate(seed)
  const { clock } = simulation
  await simulation.run(async () => {
    const server = await startApiServer({
      sockets: false,
      clusterObjects: false,
      clock,
      random: simulation.random.fork('server'),
    })
    const connection = await server.transport().connect(new URL(server.url), new AbortController().signal)
    await operate(connection, { authorization: `Bearer ${server.token}` }, simulation.random.fork('operations'))
    await connection.close()
    await server.close()
  })
}

/** 200 operations on forty names, while two watches are open. */
async function operate(connection: Connection, headers: Record<string, string>, random: () => number): Promise<void> {
  const alive = new Set<string>()
  let received = 0
  for (let watch = 0; watch < 2; watch++) {
    const path = `${NAMESPACE}?watch=1&resourceVersion=0&allowWatchBookmarks=true`
    connection.request(
      { method: 'GET', path, headers },
      {
        head: () => {},
        data: chunk => {
          received += chunk.length
        },
        end: () => {},
        error: () => {},
      },
    )
  }
  for (let operation = 0; operation < OPERATIONS; operation++) {
    const name = `c${integer(random, 0, 39)}`
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', labels: { app: choose(random, ['web', 'api']) } },
      data: { value: `${random()}` },
    }
    const one = `${NAMESPACE}/${name}`
    const verb = alive.has(name) ? random() : 0
    if (!alive.has(name)) {
      alive.add(name)
      await expectStatus(201, connection, headers, 'POST', NAMESPACE, object)
    } else if (verb < 0.25) {
      await expectStatus(200, connection, headers, 'GET', one)
    } else if (verb < 0.5) {
      await expectStatus(200, connection, headers, 'PUT', one, object)
    } else if (verb < 0.7) {
      await expectStatus(200, connection, headers, 'PATCH', one, { data: { patched: `${random()}` } })
    } else if (verb < 0.9) {
      alive.delete(name)
      await expectStatus(200, connection, headers, 'DELETE', one)
    } else {
      await expectStatus(200, connection, headers, 'GET', `${NAMESPACE}?labelSelector=app%3Dweb&limit=10`)
    }
  }
  if (received === 0) throw new Error('the watches received nothing')
}

function expectStatus(
  wanted: number,
  connection: Connection,
  headers: Record<string, string>,
  method: string,
  path: string,
  object?: object,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let got = 0
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const body = object && Buffer.from(JSON.stringify(object))
    connection.request(
      { method, path, headers: body ? { ...headers, 'content-type': type } : headers, body },
      {
        head: status => {
          got = status
        },
        data: () => {},
        end: () => (got === wanted ? resolve() : reject(new Error(`${method} ${path} answered ${got}, not ${wanted}`))),
        error: reject,
      },
    )
  })
}
