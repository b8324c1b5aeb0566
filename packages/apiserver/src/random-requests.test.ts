import { forEachSeed } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { choose, integer } from './random.ts'
import { type Kit, merge, sie, withServer } from './testkit/in-memory.ts'

const names = Array.from({ length: 12 }, (_, i) => `c${i}`)
const namespaces = ['default', 'kube-system']

/** What the server should hold: the data of each ConfigMap by key. */
type Oracle = Map<string, { uid: string; rv: number; n: string }>

interface Watching {
  readonly state: Map<string, { uid: string; rv: number; n: string }>
  readonly open: Awaited<ReturnType<Kit['watch']>>
  read: number
}

/** Applies the events that a watch has received since the last look, and checks that they make sense. */
function follow(watching: Watching): void {
  for (; watching.read < watching.open.events.length; watching.read++) {
    const { type, object } = watching.open.events[watching.read] as (typeof watching.open.events)[number]
    const rv = Number(object.metadata.resourceVersion)
    if (type === 'BOOKMARK') continue
    const key = `${object.metadata.namespace}/${object.metadata.name}`
    const had = watching.state.get(key)
    expect([key, type, had !== undefined]).toEqual([key, type, type !== 'ADDED'])
    if (had !== undefined) {
      expect(rv).toBeGreaterThan(had.rv)
      if (type === 'MODIFIED') expect(object.metadata.uid).toBe(had.uid)
    }
    if (type === 'DELETED') watching.state.delete(key)
    else watching.state.set(key, { uid: object.metadata.uid, rv, n: object.data.n })
  }
}

/** Two hundred random requests, with streams that are opened, resumed and broken, against a plain map. */
async function run(kit: Kit): Promise<void> {
  const { call, server, sim, transport, watch } = kit
  const random = sim.random.fork('test')
  const oracle: Oracle = new Map()
  const watches: Watching[] = []
  const path = (namespace: string, name = ''): string =>
    `/api/v1/namespaces/${namespace}/configmaps${name && `/${name}`}`
  for (let step = 0; step < 200; step++) {
    const namespace = choose(random, namespaces)
    const name = choose(random, names)
    const key = `${namespace}/${name}`
    const had = oracle.get(key)
    const n = String(step)
    const action = integer(random, 0, 100)
    if (action < 25) {
      const { status, json } = await call('POST', path(namespace), { metadata: { name }, data: { n } })
      expect(status).toBe(had === undefined ? 201 : 409)
      if (status === 201) oracle.set(key, { uid: json.metadata.uid, rv: Number(json.metadata.resourceVersion), n })
    } else if (action < 50) {
      const stale = had !== undefined && integer(random, 0, 4) === 0
      const metadata = had === undefined ? {} : { resourceVersion: String(had.rv - (stale ? 1 : 0)) }
      const { status, json } = await call('PATCH', path(namespace, name), { metadata, data: { n } }, merge)
      expect(status).toBe(had === undefined ? 404 : stale ? 409 : 200)
      if (status === 200) {
        expect(Number(json.metadata.resourceVersion)).toBeGreaterThan(had?.rv ?? 0)
        oracle.set(key, { uid: json.metadata.uid, rv: Number(json.metadata.resourceVersion), n })
      }
    } else if (action < 65) {
      const { status } = await call('DELETE', path(namespace, name))
      expect(status).toBe(had === undefined ? 404 : 200)
      oracle.delete(key)
    } else if (action < 75) {
      const { status, json } = await call('GET', path(namespace, name))
      expect([status, json.data?.n]).toEqual(had === undefined ? [404, undefined] : [200, had.n])
    } else if (action < 85) {
      const limit = integer(random, 1, 5)
      const found: string[] = []
      let token = ''
      do {
        const { json } = await call('GET', `${path(namespace)}?limit=${limit}${token && `&continue=${token}`}`)
        for (const item of json.items) found.push(`${namespace}/${item.metadata.name}:${item.data.n}`)
        token = json.metadata.continue ?? ''
      } while (token !== '')
      const expected = [...oracle]
        .filter(([one]) => one.startsWith(`${namespace}/`))
        .map(([one, { n }]) => `${one}:${n}`)
      expect(found).toEqual(
        expected.sort((a, b) => ((a.split(':')[0] as string) < (b.split(':')[0] as string) ? -1 : 1)),
      )
    } else if (action < 92) {
      watches.push({ state: new Map(), open: await watch(`/api/v1/configmaps?${sie}`), read: 0 })
    } else if (action < 96 && watches.length > 0) {
      const one = choose(random, watches)
      if (integer(random, 0, 2) === 0) one.open.pause()
      else one.open.resume()
    } else if (action < 98) {
      await server.compact()
    } else {
      const open = transport.controls.connections()
      if (open.length > 0) transport.controls.kill(choose(random, open))
      await sim.advance(1)
    }
    if (integer(random, 0, 3) === 0) await sim.advance(integer(random, 0, 20))
  }
  for (const one of watches) one.open.resume()
  await sim.advance(100)
  for (const one of watches) {
    follow(one)
    if (one.open.state() === 'open') expect(one.state).toEqual(oracle)
    else one.open.abort()
  }
  const listed = (await call('GET', '/api/v1/configmaps')).json.items
  expect(
    new Map(listed.map((item: Listed) => [`${item.metadata.namespace}/${item.metadata.name}`, item.data.n])),
  ).toEqual(new Map([...oracle].map(([key, { n }]) => [key, n])))
}

interface Listed {
  metadata: { namespace: string; name: string }
  data: { n: string }
}

describe('random runs', () => {
  it('F1: two hundred random requests leave the server, and every watch of it, as a plain map has it', async () => {
    const count = await forEachSeed(seed => withServer(run, { seed }), { seeds: 150 })
    expect(count).toBeGreaterThan(0)
  }, 900_000)

  it('F5: two runs of one seed have equal traces, and another seed has another', async () => {
    const hashes: string[] = []
    for (const seed of [7, 7, 8]) {
      let hash = ''
      await withServer(
        async kit => {
          await run(kit)
          // Steps and times alone would not show a uid, a time or a token that comes from elsewhere.
          for (const path of ['namespaces', 'configmaps', 'configmaps?limit=1']) {
            kit.sim.trace.add((await kit.call('GET', `/api/v1/${path}`)).text)
          }
          kit.sim.trace.add(kit.server.token)
          hash = kit.sim.trace.hash
        },
        { seed },
      )
      hashes.push(hash)
    }
    expect(hashes[0]).toBe(hashes[1])
    expect(hashes[2]).not.toBe(hashes[0])
  })
})
