import { Client, type KubernetesObject } from '@wherry/client'
import { Operator } from '@wherry/controller'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { define } from '../bench/server/define.ts'
import { memoryReplays } from './index.ts'
import { keda, scaledObjects } from './k1-keda.ts'
import { inertPod } from './objects/pods.ts'
import type { MemoryReplay, Way } from './replay.ts'

const loaded = await Promise.all(Object.values(memoryReplays).map(load => load()))
const ways = loaded.flatMap(replay => replay.ways.map(way => ({ name: `${replay.id}, ${way.name}`, replay, way })))

interface Held {
  readonly objects: number
  /** Bytes of objects that the server sent since the operator began. */
  readonly received: number
}

/** Plays one way at a tenth of the greatest published size. `body` may go on with the operator. */
async function play(
  replay: MemoryReplay,
  way: Way,
  body: (operator: Operator, server: EmbeddedApiServer, client: Client) => Promise<void> = async () => {},
): Promise<Held> {
  await using server = await startApiServer({ clusterObjects: false })
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  for (const definition of replay.definitions) await define(client, definition)
  await server.fill(replay.own)
  await server.fill(replay.objects(tenth(replay)))
  await using own = new Client({ url: server.url, ca: server.ca, token: server.token })
  await using operator = new Operator({ name: 'replay', client: own })
  way.declare(operator)
  await server.resetStats()
  const running = operator.run({ signals: false })
  await ready(operator, replay)
  const held = { objects: objectsOf(operator), received: (await server.stats()).total.objectBytes }
  await body(operator, server, client)
  await operator.close()
  await running
  return held
}

/** Resolves once each own object was reconciled and all informers have synced. It asks the server for nothing, as `settled` would. */
async function ready(operator: Operator, { own, definitions }: MemoryReplay): Promise<void> {
  const kinds = definitions.map(({ spec }) => spec.names.kind)
  const left = new Set(own.filter(({ kind = '' }) => kinds.includes(kind)).map(({ metadata }) => metadata?.name))
  if (left.size > 0)
    for await (const { key, outcome } of operator.runs()) {
      // An event of another kind may name an object that is not there, or not known yet.
      expect(['success', 'gone']).toContain(outcome)
      if (outcome === 'success') left.delete(key.split('/').at(-1))
      if (left.size === 0) break
    }
  await expect.poll(() => operator.state).toBe('running')
  await expect.poll(() => operator.report().informers.every(({ synced }) => synced)).toBe(true)
}

const objectsOf = (operator: Operator): number => {
  const { informers, narrow } = operator.report()
  return [...informers, ...narrow.views].reduce((sum, { objects }) => sum + objects, 0)
}

/** Of K1 the published 1,000 pods, not our 10,000. */
const tenth = ({ id, sizes }: MemoryReplay): number => Math.round((id === 'K1' ? 10_000 : Math.max(...sizes)) / 10)

it.each(ways)('$name: holds and receives what it needs, at a tenth of the size', async ({ replay, way }) => {
  const { objects, received } = await play(replay, way)
  expect(objects).toBe(way.keeps.objects)
  expect(received).toBeLessThanOrEqual(way.keeps.receivedBytes)
  // Else the bound would hold nothing.
  expect(received).toBeGreaterThanOrEqual(way.keeps.receivedBytes * 0.75)
})

it('K1, selected pods: the pods of a ScaledObject come with it, and go with it', async () => {
  const [way] = keda.ways
  if (way === undefined) throw new Error('K1 has no way')
  await play(keda, way, async (operator, server, client) => {
    const labelled = inertPod('load', 5, {
      labels: 92,
      annotations: 0,
      containers: 1,
      annotationLength: 1,
      environment: 1,
    })
    const [label = '', value = ''] =
      Object.entries((labelled.metadata?.labels ?? {}) as Record<string, string>)[0] ?? []
    const made = scaledObjects.make('web', { podSelector: { [label]: value } })
    await server.fill([{ ...made, metadata: { ...made.metadata, namespace: 'load' } } as KubernetesObject])
    await operator.settled()
    expect(objectsOf(operator)).toBe(2)
    await client.delete(scaledObjects.view, { namespace: 'load', name: 'web' })
    await operator.settled()
    expect(objectsOf(operator)).toBe(0)
  })
})

it.each(loaded)('$id: a greater size has the objects of a smaller one, and as many as it says', replay => {
  const names = (count: number): string[] =>
    [...replay.objects(count)].map(({ kind, metadata }) => `${kind} ${metadata?.namespace}/${metadata?.name}`)
  const few = names(20)
  const more = names(40)
  expect(more).toHaveLength(40)
  expect(new Set(more).size).toBe(40)
  expect(more.slice(0, 20)).toEqual(few)
})
