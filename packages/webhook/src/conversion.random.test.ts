import { isApiError } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { chance, choose, forEachSeed, type HookCall, integer, seededRandom } from '@wherry/testing'
import { expect, it } from 'vitest'
import { OperatorCacheRead } from './admission/cached-read.ts'
import { answerConversion } from './conversion/answer.ts'
import type { Conversion } from './conversion/conversion.ts'
import {
  badWords,
  type Content,
  isBad,
  type SizedKind,
  sizedKind,
  specOf,
  type Version,
  versions,
} from './testkit/conversion/kinds.ts'
import { type InMemory, inMemory } from './testkit/in-memory.ts'

const namespace = 'default'

it('B4: random objects of two kinds are read, listed and cached at all versions as an oracle says, bad ones are named', () =>
  forEachSeed(seed => inRound(seed), { seeds: 20 }))

/** A kind in a round, with its stored objects by name. */
interface Stored {
  readonly kind: SizedKind
  readonly storage: Version
  readonly objects: Map<string, Content>
}

async function inRound(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const kinds = ['Level', 'Room'].map(name => sizedKind(name))
  let answer = (_call: HookCall): Promise<unknown> => Promise.reject(new Error('nobody serves'))
  await inMemory(
    async parts => {
      const { webhooks, client, simulation, operator } = parts
      for (const { conversion } of kinds) webhooks.convert(conversion)
      answer = async ({ service, review }) => {
        const found = kinds.find(({ conversion }) => service?.path === `/convert/${conversion.name}`)
        const body = Buffer.from(JSON.stringify(review))
        const said = await answerConversion(found?.conversion as Conversion<never>, body, client.environment)
        return 'review' in said ? JSON.parse(said.review) : said
      }
      const stored = kinds.map((kind): Stored => ({ kind, storage: choose(random, versions), objects: new Map() }))
      for (const [at, { kind, storage }] of stored.entries())
        await client.create(customResourceDefinitions, kind.definition(storage, webhooks.conversions()[at]?.conversion))
      await simulation.advance(5_000)
      const views = stored.flatMap(({ kind }) => Object.values(kind.views))
      const holds = views.map(view => operator.cache.hold(view, 'test'))
      for (let step = 0; step < 40; step += 1) {
        await write(parts, choose(random, stored), random, `o${step % 9}`)
        await readAll(parts, choose(random, stored), choose(random, versions))
        if (chance(random, 0.2)) await simulation.advance(integer(random, 1, 5) * 1_000)
      }
      // Once nothing is bad any more, each cache gets there by itself.
      for (const { kind, storage, objects } of stored)
        for (const [name, content] of objects) {
          if (!isBad(content.word)) continue
          await client.patch(kind.views[storage], { namespace, name }, { spec: { word: 'good' } })
          objects.set(name, { ...content, word: 'good' })
        }
      await simulation.advance(120_000)
      const declared = { declared: views, namespace, signal: new AbortController().signal }
      const read = new OperatorCacheRead(operator.cache, declared)
      for (const { kind, objects } of stored)
        for (const version of versions) {
          const cached = await read.list(kind.views[version])
          expect(byName(cached), `${kind.plural} ${version}`).toEqual(expectedOf(objects, version))
        }
      await Promise.all(holds.map(hold => hold.release()))
    },
    { onError: () => {} },
    call => answer(call),
  )
}

const byName = (items: readonly { metadata?: { name?: string }; spec?: unknown }[]): Record<string, unknown> =>
  Object.fromEntries(items.map(({ metadata, spec }) => [metadata?.name, spec]))

const expectedOf = (objects: ReadonlyMap<string, Content>, version: Version): Record<string, unknown> =>
  Object.fromEntries(Array.from(objects, ([name, content]) => [name, specOf(content, version)]))

const refusal = async (attempt: Promise<unknown>): Promise<string | undefined> => {
  try {
    await attempt
    return undefined
  } catch (error) {
    if (!isApiError(error)) throw error
    return error.message
  }
}

/** Creates, changes or deletes an object at a random version. What can't be converted is refused, with its name, and changes nothing. */
async function write({ client }: InMemory, { kind, storage, objects }: Stored, random: () => number, name: string) {
  const version = choose(random, versions)
  const view = kind.views[version]
  const key = { namespace, name }
  const old = objects.get(name)
  if (old !== undefined && chance(random, 0.25)) {
    await client.delete(isBad(old.word) ? kind.views[storage] : view, key)
    objects.delete(name)
    return
  }
  const word = chance(random, 0.15) ? choose(random, badWords) : choose(random, [undefined, 'w', 'x'])
  const content: Content = { ...old, size: integer(random, 0, 99), ...(word !== undefined && { word }) }
  const spec = specOf(content, version)
  const said = await refusal(
    old === undefined ? client.create(view, { metadata: key, spec }) : client.patch(view, key, { spec } as never),
  )
  const isRefused = version !== storage && (isBad(content.word) || isBad(old?.word))
  expect(said === undefined, `${name} ${version} ${storage} ${JSON.stringify({ old, content })}: ${said}`).toBe(
    !isRefused,
  )
  if (said !== undefined) expect(said).toContain(`default/${name}: `)
  expect(said ?? '').not.toContain('hunter2')
  if (!isRefused) objects.set(name, content)
}

/** Each object by its name, and all of them in a list. */
async function readAll({ client }: InMemory, { kind, storage, objects }: Stored, version: Version): Promise<void> {
  const view = kind.views[version]
  const bad = version === storage ? [] : [...objects].filter(([, { word }]) => isBad(word)).map(([name]) => name)
  for (const [name, content] of objects) {
    const key = { namespace, name }
    if (bad.includes(name)) expect(await refusal(client.get(view, key))).toContain(`default/${name}: `)
    else expect((await client.get(view, key))?.spec).toEqual(specOf(content, version))
  }
  if (bad.length === 0) expect(byName((await client.list(view)).items)).toEqual(expectedOf(objects, version))
  else expect(await refusal(client.list(view))).toContain(`default/${bad.toSorted()[0]}: `)
}
