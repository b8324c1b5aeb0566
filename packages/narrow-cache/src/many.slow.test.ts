import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: object) => void

/** The used heap, in bytes, once the server has forgotten what it had. */
async function heapUsed({ run, server, simulation }: Kit): Promise<number> {
  await simulation.advance(1000)
  await run(() => server.compact())
  await run(() => server.expireWatchCaches())
  await simulation.advance(30_000)
  for (let time = 0; time < 2; time++) collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return process.memoryUsage().heapUsed
}

/** Creates, changes and deletes so many objects that nobody asks for, one after the other. */
async function unrelated({ run, writer }: Kit, from: number, count: number): Promise<void> {
  await run(async () => {
    for (let i = from; i < from + count; i++) {
      const key = keyOf(`a/unrelated-${i}`)
      await writer.create(configMaps, { metadata: key, data: { n: 'x'.repeat(100) } })
      await writer.patch(configMaps, key, { data: { n: 'y' } })
      await writer.delete(configMaps, key)
    }
  })
}

const count = 5000
/** How many objects come and go that nobody asks for. */
const others = 2000

/** How much more of the heap is used after so many unrelated objects, in bytes for each: an entry takes thousands. */
async function heapForEach(kit: Kit): Promise<number> {
  // What the first ones bring along, of code and of the server, comes and goes.
  for (const from of [0, 500]) {
    await unrelated(kit, from, 500)
    await heapUsed(kit)
  }
  const before = await heapUsed(kit)
  await unrelated(kit, 1000, others)
  return ((await heapUsed(kit)) - before) / others
}

it('N13: 2,000 unrelated objects of the kind, created, changed and deleted, cost no event and no object byte, and nothing is kept of them', () =>
  withNarrow(async kit => {
    const { narrow, run, server } = kit
    const log: string[] = []
    await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
    await run(() => server.resetStats())
    const bytes = await heapForEach(kit)
    const { byVerb } = await run(() => server.stats())
    expect(byVerb.watch?.configmaps?.objectBytes).toBe(0)
    expect(byVerb.list?.configmaps).toBeUndefined()
    expect(byVerb.get?.configmaps).toBeUndefined()
    expect(log).toEqual(['0a/x'])
    expect(narrow.report().views).toMatchObject([{ entries: 1, objects: 0, receivedBytes: 0 }])
    expect(bytes).toBeLessThan(500)
  }))

it('N11, N13: of 2,000 unrelated objects past escalateAt only metadata comes, and nothing is kept of it', () =>
  withNarrow(
    async kit => {
      const { narrow, run, server } = kit
      const log: string[] = []
      for (const name of ['x', 'y']) await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting(log)))
      await run(() => server.resetStats())
      const bytes = await heapForEach(kit)
      expect(narrow.report()).toMatchObject({ entries: 2, streams: 1, escalated: [{ phase: 'escalated' }] })
      const { byVerb } = await run(() => server.stats())
      expect(byVerb.watch?.configmaps?.objectBytes).toBeGreaterThan(0)
      expect(log).toEqual(['0a/x', '0a/y'])
      expect(narrow.report().views).toMatchObject([{ entries: 2, objects: 0, receivedBytes: 0 }])
      expect(bytes).toBeLessThan(500)
    },
    // What undoes compression on simulated time makes much garbage.
    { escalateAt: 1, cluster: { client: { gzip: false } } },
  ))

it('N13: 5,000 entries are 5,000 streams, on as many connections as the server’s bound on streams asks for', () =>
  withNarrow(
    async ({ narrow, run, client, watches, server }) => {
      const keys = Array.from({ length: count }, (_, i) => keyOf(`a/n${i}`))
      await run(() => Promise.all(keys.map(key => narrow.get(configMaps, key))))
      expect(narrow.report()).toMatchObject({
        ...{ entries: count, idle: count, streams: count },
        ...{ waiting: 0, escalated: [] },
      })
      expect(await watches()).toBe(count)
      // Of 100 streams a tenth is left for calls.
      expect(client.connections).toBe(Math.ceil(count / 90))
      await run(() => narrow.close())
      const { byVerb } = await run(() => server.stats())
      expect(byVerb.watch?.configmaps).toMatchObject({ requests: count, objectBytes: 0 })
      expect(await watches()).toBe(0)
    },
    { escalateAt: Number.POSITIVE_INFINITY, escalateAllAt: Number.POSITIVE_INFINITY },
  ))
