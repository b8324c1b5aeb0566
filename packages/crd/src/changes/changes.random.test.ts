import { Client, defineResource, isInvalid } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { forEachSeed, type Random, seededRandom, startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { isRecord, type StructuralSchema } from '../schema/json-schema.ts'
import { changedSchema, randomSchema, randomValue } from '../testkit/random-schemas.ts'
import { schemaChanges } from './schema-changes.ts'

/** A kind with a schema for each of its fields. An object has a single field. */
interface Holder {
  metadata: { name: string }
  spec?: Readonly<Record<string, unknown>>
}

interface Pair {
  readonly old: StructuralSchema
  readonly next: StructuralSchema
}

const pairs = 40
const values = 6

it('K6: what an API server took stays valid and whole if all changes are safe', async () => {
  const counts = { safe: 0, broken: 0 }
  await forEachSeed(seed => run(seededRandom(seed), counts), { seeds: 12 })
  // Else the test would show nothing: that safe changes are met, and that objects would be broken by others.
  expect(counts).toEqual({ safe: expect.toSatisfy(count => count > 0), broken: expect.toSatisfy(count => count > 0) })
}, 900_000)

async function run(random: Random, counts: { safe: number; broken: number }): Promise<void> {
  await using server = await startApiServer({ kind: 'embedded', establishMs: 0 })
  const client = new Client({ url: server.url, ca: server.ca, token: server.token })
  try {
    const all = new Map(Array.from({ length: pairs }, (_, at) => [`p${at}`, randomPair(random)]))
    const olds = await define(client, 'Old', all, 'old')
    const nexts = await define(client, 'Next', all, 'next')
    for (const [field, { old, next }] of all) {
      const changes = schemaChanges(holderSchema({ [field]: old }), holderSchema({ [field]: next }))
      const isSafe = changes.every(({ verdict }) => verdict !== 'breaks stored objects')
      for (let at = 0; at < values; at += 1) {
        const metadata = { name: `${field}-${at}` }
        const stored = await create(client, olds, { metadata, spec: { [field]: randomValue(random, old) } })
        const before = stored?.spec?.[field]
        if (before === undefined) continue
        const read = await create(client, nexts, { metadata, spec: { [field]: before } })
        const after = read?.spec?.[field]
        const isKept = read !== undefined && holds(after, before)
        if (isSafe) expect(isKept, JSON.stringify({ old, next, before, after, changes })).toBe(true)
        counts[isSafe ? 'safe' : 'broken'] += isSafe || !isKept ? 1 : 0
      }
    }
  } finally {
    await client.close()
  }
}

function randomPair(random: Random): Pair {
  const old = randomSchema(random, 2)
  const next = changedSchema(random, old)
  const { default: _, ...changed } = random() < 0.3 ? changedSchema(random, next) : next
  // The server would fill a default of this field into the objects of all other pairs.
  return { old, next: changed }
}

const holderSchema = (properties: Record<string, StructuralSchema>): StructuralSchema => ({
  type: 'object',
  properties,
})

/** Defines a kind with one schema of each pair. Removes pairs with a schema that the server refuses. */
async function define(client: Client, kind: string, all: Map<string, Pair>, which: keyof Pair) {
  const plural = `${kind.toLowerCase()}s`
  const group = 'changes.example.com'
  const names = { kind, plural, singular: kind.toLowerCase() }
  for (;;) {
    const spec = holderSchema(Object.fromEntries([...all].map(([field, pair]) => [field, pair[which]])))
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
    const versions = [{ name: 'v1', served: true, storage: true, schema }]
    const definition = { metadata: { name: `${plural}.${group}` }, spec: { group, scope: 'Cluster', names, versions } }
    const error = await client.create(customResourceDefinitions, definition).then(() => undefined, asInvalid)
    if (error === undefined) break
    const wrong = new Set([...error.message.matchAll(/properties\[(p\d+)\]/g)].map(([, field]) => field ?? ''))
    if (wrong.size === 0) throw error
    for (const field of wrong) all.delete(field)
  }
  const view = defineResource<Holder>({ group, version: 'v1', kind, plural, namespaced: false })
  await expect.poll(() => client.list(view).then(Boolean, () => false), { timeout: 60_000, interval: 1 }).toBe(true)
  return view
}

/** The object as the server has stored it, which is its answer. `undefined` if it is not valid. */
async function create(
  client: Client,
  view: Awaited<ReturnType<typeof define>>,
  object: Holder,
): Promise<Holder | undefined> {
  const stored = await client.create(view, object).catch(asInvalid)
  return stored instanceof Error ? undefined : stored
}

function asInvalid(error: Error): Error {
  if (isInvalid(error)) return error
  throw error
}

/** Whether all that `part` has is in `whole`, which may have fields that the server filled in. */
function holds(whole: unknown, part: unknown): boolean {
  if (isRecord(part)) return isRecord(whole) && Object.keys(part).every(name => holds(whole[name], part[name]))
  if (Array.isArray(part))
    return Array.isArray(whole) && whole.length === part.length && part.every((one, at) => holds(whole[at], one))
  return whole === part
}
