import { Client } from '@wherry/client'
import { configMaps, namespaces, secrets } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { NarrowCache } from '@wherry/narrow-cache'
import { type ApiServer, chance, choose, forEachSeed, seededRandom } from '@wherry/testing'
import { WorkQueue } from '@wherry/work-queue'
import { expect, it, vi } from 'vitest'
import type { Read } from '../read.ts'
import { TrackedReads } from '../tracked-reads.ts'
import { keyOf } from './kit.ts'
import { declared, type Eyes, evaluate, randomProgram } from './programs.ts'
import { changeSomething, present } from './world.ts'

interface Connected {
  readonly client: Client
  readonly narrow: NarrowCache
  readonly reads: TrackedReads
  /** Keys that were to run again. */
  readonly queue: WorkQueue
  reconcile<T>(key: string, work: (read: Read) => Promise<T>): Promise<T>
}

/** For a slow machine with much else to do, in milliseconds. */
const longMs = 600_000

const until = <T>(holds: () => T | Promise<T>): Promise<T> => vi.waitFor(holds, { interval: 20 })

async function connected(
  server: ApiServer,
  test: (one: Connected) => Promise<void>,
  escalateAt?: number,
): Promise<void> {
  const { url, ca, token } = server
  const client = new Client({ url, ca, token })
  const narrow = new NarrowCache({ client, escalateAt })
  const cache = new DynamicCache({ client })
  cache.hold(declared, 'test')
  const queue = new WorkQueue()
  const onChange = (key: string): void => queue.add(key)
  const reads = new TrackedReads({ client, cache, narrow, declared: [declared], onChange })
  const reconcile: Connected['reconcile'] = async (key, work) => {
    const run = reads.begin(key, { namespace: 'a' })
    try {
      const result = await work(run.read)
      run.succeed()
      return result
    } catch (error) {
      run.fail()
      throw error
    }
  }
  try {
    for (const name of ['a', 'b']) {
      if ((await client.get(namespaces, { name })) === undefined)
        await client.create(namespaces, { metadata: { name } })
    }
    await cache.synced()
    await test({ client, narrow, reads, queue, reconcile })
  } finally {
    await queue.stop()
    await reads.close()
    await cache.close()
    await narrow.close()
    await client.close()
  }
}

/** What holds on an embedded and on a real API server alike. */
export function readsOverSockets(server: () => ApiServer, seeds: number): void {
  it(
    'C11, C13–C15: a key runs again when what it read changes, comes or goes, and for nothing else',
    () =>
      connected(server(), async ({ client, reads, queue, reconcile }) => {
        const next = async (): Promise<string | undefined> => {
          const key = await queue.take({ signal: AbortSignal.timeout(120_000) })
          if (key !== undefined) queue.done(key)
          return key
        }
        const key = keyOf('a/read')
        await reconcile('one', read => read.get(configMaps, key))
        await reconcile('part', read => read.get(configMaps, key, { select: ({ data }) => data?.n }))
        await reconcile('list', read => read.list(declared, { labels: 'app=read' }))
        await client.create(configMaps, { metadata: key })
        expect(await next()).toBe('one')
        await client.patch(configMaps, key, { data: { n: '1' } })
        expect([await next(), await next()].sort()).toEqual(['one', 'part'])
        await client.create(secrets, { metadata: { ...key, labels: { app: 'other' } } })
        await client.patch(secrets, key, { metadata: { labels: { app: 'read' } } })
        expect(await next()).toBe('list')
        await client.patch(secrets, key, { metadata: { labels: { app: 'other' } } })
        expect(await next()).toBe('list')
        reads.forget('part')
        await client.delete(configMaps, key)
        expect(await next()).toBe('one')
        await client.delete(secrets, key)
        expect([queue.size, reads.report().objects]).toEqual([0, 1])
      }),
    longMs,
  )

  it(
    'C10: a get and a list see each write that was made before them',
    () =>
      connected(server(), async ({ client, narrow, reads, reconcile }) => {
        const writes = client.withWriteListeners(narrow, reads.writes)
        const key = keyOf('a/own')
        for (let round = 0; round < 10; round++) {
          await reconcile('k', async read => {
            const seen = async (): Promise<unknown> => [
              (await read.get(configMaps, key))?.data?.n,
              (await read.list(declared, { labels: 'app=own' })).map(({ data }) => data?.n),
            ]
            expect(await seen()).toEqual([undefined, []])
            await writes.create(configMaps, { metadata: key, data: { n: '1' } })
            await writes.create(secrets, { metadata: { ...key, labels: { app: 'own' } }, data: { n: 'MQ==' } })
            expect(await seen()).toEqual(['1', ['MQ==']])
            await writes.patch(configMaps, key, { data: { n: '2' } })
            await writes.patch(secrets, key, { data: { n: 'Mg==' } })
            expect(await seen()).toEqual(['2', ['Mg==']])
            await writes.delete(configMaps, key)
            await writes.delete(secrets, key)
          })
        }
      }),
    longMs,
  )

  it(
    'C11–C15, C17: what was made of objects is what comes of their present state, by random test',
    async () => {
      await forEachSeed(seed => connected(server(), one => randomly(one, seed), seed % 2 === 0 ? 2 : undefined), {
        seeds,
      })
    },
    longMs,
  )
}

/** Runs random programs, and changes what they read, until all has settled. */
async function randomly({ client, reads, queue, reconcile }: Connected, seed: number): Promise<void> {
  const random = seededRandom(seed)
  const keys = ['k0', 'k1', 'k2', 'k3']
  const programs = new Map<string, string>()
  const results = new Map<string, string>()
  const work = async (): Promise<void> => {
    for await (const key of queue) {
      const program = programs.get(key) ?? ''
      try {
        results.set(key, await reconcile(key, read => evaluate(program, eyesOf(read))))
        queue.forget(key)
      } catch {
        queue.addRateLimited(key)
      }
      queue.done(key)
    }
  }
  const working = [work(), work()]
  for (let i = 0; i < 40; i++) {
    if (chance(random, 0.7)) await changeSomething(client, random)
    else {
      const key = choose(random, keys)
      programs.set(key, randomProgram(random))
      queue.add(key)
    }
  }
  const eyes = await present(client)
  await until(async () => {
    for (const [key, program] of programs) expect(results.get(key), key).toBe(await evaluate(program, eyes))
    expect([queue.size, queue.delayed, queue.running]).toEqual([0, 0, 0])
  })
  for (const key of keys) reads.forget(key)
  expect(reads.report()).toEqual({ keys: 0, dependencies: 0, objects: 0, polled: 0, selections: 0 })
  await queue.stop()
  await Promise.all(working)
}

function eyesOf(read: Read): Eyes {
  return {
    get: (view, path) => read.get(view, keyOf(path)),
    select: (view, path, select) => read.get(view, keyOf(path), { select }),
    list: (view, labels, namespace) => read.list(view, { labels, namespace }),
    found: (view, index, value) => read.list(view, { index, value }),
    parts: (view, labels, select) => read.list(view, { labels, select }),
  }
}
