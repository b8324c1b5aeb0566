import type { KubernetesObject, View } from '@wherry/client'
import { deployments } from '@wherry/client/resources/apps'
import { configMaps, services } from '@wherry/client/resources/core'
import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { isAsDesired, ownedFields } from './judge.ts'
import { ServerNormalized } from './server-normalized.ts'

type Random = Arcade['simulation']['environment']['random']

const manager = 'arcade/judge'
const metadata = { name: 'judged', namespace: 'default' }

it('A2: an object that is judged as desired is not changed by an apply of it, and an applied one is judged so, whatever others do', async () => {
  const seeds = 60
  await forEachSeed(seed => inArcade({ seed }, round), { seeds })
})

async function round({ client, simulation }: Arcade): Promise<void> {
  const { random } = simulation.environment
  const [view, make] = choose(random, kinds)
  const apply = (object: KubernetesObject, fieldManager: string): Promise<KubernetesObject> =>
    client.apply(view.full() as View<KubernetesObject>, object as never, { fieldManager, force: true }) as never
  const normalized = new ServerNormalized()
  const isJudged = (live: KubernetesObject, desired: KubernetesObject): boolean => {
    const owned = ownedFields(live, manager)
    return isAsDesired(owned, desired) || normalized.knows(desired, owned)
  }
  let desired = make(random)
  await apply(desired, manager)
  for (let step = 0; step < 12; step++) {
    if (chance(random, 0.4)) desired = make(random)
    if (chance(random, 0.4)) await apply(make(random), 'them')
    if (chance(random, 0.2)) {
      const data = { metadata: { labels: { [text(random)]: text(random) } } }
      await client.patch(view as View<KubernetesObject>, metadata as never, data as never, { fieldManager: 'hand' })
    }
    const live = (await client.get(view.full() as View<KubernetesObject>, metadata as never)) as KubernetesObject
    const judged = isJudged(live, desired)
    const answer = await apply(desired, manager)
    const about = JSON.stringify({ judged, desired, live })
    if (judged) expect(content(answer), about).toEqual(content(live))
    normalized.learn(desired, ownedFields(answer, manager))
    expect(isJudged(answer, desired), JSON.stringify({ desired, answer })).toBe(true)
    // Of others' desired states it is said only where theirs would change nothing either.
    const other = chance(random, 0.5) ? make(random) : withOneChange(random, desired)
    if (!isJudged(answer, other)) continue
    const same = await apply(other, manager)
    expect(content(same), JSON.stringify({ other, answer })).toEqual(content(answer))
  }
}

/** What an object says, and what the manager owns of it. */
function content(object: KubernetesObject): unknown {
  const { managedFields: _, resourceVersion: __, ...own } = object.metadata ?? {}
  return { ...object, metadata: own, owned: ownedFields(object, manager) }
}

const text = (random: Random): string => choose(random, ['a', 'b', 'c', 'd'])

/** A map of few keys, so that the values of two managers overlap. Nothing here is empty: the ownership of empty values comes and goes. */
const map = (random: Random): Record<string, string> =>
  Object.fromEntries(Array.from({ length: integer(random, 1, 3) }, () => [text(random), text(random)]))

/** A list of items with different names, in any order. */
function named<T>(random: Random, least: number, most: number, make: (name: string) => T): T[] {
  const left = ['a', 'b', 'c', 'd']
  return Array.from({ length: integer(random, least, most) }, () => {
    const [name = ''] = left.splice(integer(random, 0, left.length - 1), 1)
    return make(name)
  })
}

function configMap(random: Random): KubernetesObject {
  const annotations = chance(random, 0.5) ? { annotations: map(random) } : {}
  const body = chance(random, 0.9) ? { data: map(random) } : {}
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metadata, labels: map(random), ...annotations },
    ...body,
  } as never
}

function service(random: Random): KubernetesObject {
  // The name follows from the key: two managers that know a port agree on it.
  const ports = Array.from({ length: integer(random, 1, 3) }, (_, at) => {
    const protocol = choose(random, ['TCP', 'UDP'])
    return { name: `p${at}-${protocol.toLowerCase()}`, port: 80 + at, protocol }
  })
  const spec = { selector: map(random), ports: chance(random, 0.5) ? ports : ports.reverse() }
  return { apiVersion: 'v1', kind: 'Service', metadata: { ...metadata, labels: map(random) }, spec } as never
}

function deployment(random: Random): KubernetesObject {
  const labels = { app: 'web' }
  const containers = [
    { name: 'main', image: `web:${text(random)}` },
    // Managers agree on the image: the server refuses a container if the last owner of its image took the image along.
    ...named(random, 0, 2, name => ({ name, image: `web:${name}` })),
  ]
  const made = containers.map(container => ({
    ...container,
    ...(chance(random, 0.5) && { env: named(random, 1, 3, name => ({ name, value: text(random) })) }),
    ...(chance(random, 0.3) && { args: Array.from({ length: integer(random, 1, 3) }, () => text(random)) }),
    ...(chance(random, 0.3) && { resources: { limits: { memory: choose(random, ['64Mi', '128Mi']) } } }),
  }))
  const replicas = chance(random, 0.5) ? { replicas: integer(random, 0, 3) } : {}
  const template = { metadata: { labels }, spec: { containers: made } }
  const spec = { ...replicas, selector: { matchLabels: labels }, template }
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...metadata, labels: map(random) }, spec } as never
}

const kinds = [
  [configMaps, configMap],
  [services, service],
  [deployments, deployment],
] as unknown as readonly (readonly [typeof configMaps, (random: Random) => KubernetesObject])[]

/** The same with a label more, or without those it has, or without one item of a list. */
function withOneChange(random: Random, desired: KubernetesObject): KubernetesObject {
  const { labels, ...rest } = desired.metadata ?? {}
  const labelled = (one: object): KubernetesObject => ({ ...desired, metadata: { ...rest, ...one } })
  if (chance(random, 0.5)) return labelled(chance(random, 0.5) ? { labels: { ...labels, z: '1' } } : {})
  const changed = structuredClone(desired)
  const lists = listsIn(changed).filter(({ length }) => length > 1)
  if (lists.length > 0) choose(random, lists).pop()
  return changed
}

function listsIn(value: unknown): unknown[][] {
  if (value === null || typeof value !== 'object') return []
  return [...(Array.isArray(value) ? [value] : []), ...Object.values(value).flatMap(listsIn)]
}
