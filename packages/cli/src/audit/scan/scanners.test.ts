import { chance, choose, forEachSeed, integer, type Random, seededRandom } from '@wherry/testing'
import { growth } from '@wherry/testing/testkit/growth'
import { expect, it } from 'vitest'
import { bodyReader, type Found } from './body-reader.ts'
import type { BodyForm } from './shapes.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const words = [
  'metadata',
  'items',
  'name',
  'object',
  'kind',
  'rows',
  'é€😀',
  'a"b\\c',
  '\n',
  '{[',
  ']}',
  '\u0000',
  '',
  'long text '.repeat(9),
  `${'long text '.repeat(9)}"\\`,
  '\n"'.repeat(40),
]

function randomValue(random: Random, depth: number): Json {
  if (depth === 0 || chance(random, 0.5))
    return choose(random, [null, true, 12.5, -1e9, 410, '', choose(random, words), '\\"'.repeat(integer(random, 0, 4))])
  const size = integer(random, 0, 4)
  if (chance(random, 0.4)) return Array.from({ length: size }, () => randomValue(random, depth - 1))
  return Object.fromEntries(Array.from({ length: size }, () => [choose(random, words), randomValue(random, depth - 1)]))
}

/** Fields in any order, with others between. */
function shuffled(random: Random, fields: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
  const others = Array.from({ length: 2 }, (_, at) => [`x${at}`, randomValue(random, 3)] as const)
  const all = [...Object.entries(fields), ...others]
  return Object.fromEntries(
    all
      .map(entry => ({ entry, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ entry }) => entry),
  )
}

const randomMetadata = (random: Random): Json =>
  shuffled(random, {
    name: `${choose(random, words)}${integer(random, 0, 999)}`,
    ...(chance(random, 0.5) && { namespace: choose(random, ['a', 'é€😀', '\\']) }),
    ...(chance(random, 0.9) && { resourceVersion: `${integer(random, 1, 1e6)}` }),
    labels: randomValue(random, 2),
    // Keys as long as those that are searched for.
    uuid: 'no name',
    generated: 'no namespace',
    ownerReferences: [{ name: 'an owner', namespace: 'none' }],
  })

type Metadata = { readonly name?: string; readonly namespace?: string; readonly resourceVersion?: string }
const keyOf = ({ name = '', namespace = '', resourceVersion = '' }: Metadata = {}): string =>
  JSON.stringify([namespace, name, resourceVersion])

function read(form: BodyForm, text: Buffer, sizes: () => number, contentType = 'application/json'): Found[] {
  const all: Found[] = []
  let bytes = 0
  const finds = { found: (one: Found) => all.push(one), bytes: (size: number) => (bytes += size) }
  const reader = bodyReader({ form, contentType, encoding: undefined }, finds)
  for (let at = 0; at < text.length; ) {
    const size = Math.max(1, sizes())
    reader.write(Buffer.from(text.subarray(at, at + size)))
    at += size
  }
  expect(bytes).toBe(text.length)
  return all
}

it('finds in a list what JSON.parse finds, whatever the chunks are', async () => {
  await forEachSeed(
    seed => {
      const random = seededRandom(seed)
      const items = Array.from({ length: integer(random, 0, 5) }, () =>
        shuffled(random, {
          metadata: randomMetadata(random),
          spec: randomValue(random, 3),
          items: [{ metadata: { name: 'no' } }],
        }),
      )
      const list = shuffled(random, { kind: 'GameList', metadata: { resourceVersion: '7', name: 'no' }, items })
      const spaced = chance(random, 0.5) ? JSON.stringify(list, undefined, 2) : JSON.stringify(list)
      const text = Buffer.from(chance(random, 0.3) ? escapedKeys(spaced) : spaced)
      const parsed = JSON.parse(text.toString()) as { readonly items: readonly { readonly metadata: Metadata }[] }
      const wanted = parsed.items.map(({ metadata }) => keyOf(metadata))
      for (const size of [1, 2, 3, 7, text.length]) expect(read('list', text, () => size).map(keyOf)).toEqual(wanted)
      expect(read('list', text, () => integer(random, 1, 40)).map(keyOf)).toEqual(wanted)
    },
    { seeds: 150 },
  )
})

/** JSON may write any character as an escape. */
const escapedKeys = (text: string): string =>
  text.replaceAll('"metadata"', '"m\\u0065tadata"').replaceAll('"items"', '"\\u0069\\u0074\\u0065\\u006d\\u0073"')

it('finds the objects of a Table, and of events, with their sizes, whatever the chunks are', async () => {
  await forEachSeed(
    seed => {
      const random = seededRandom(seed)
      const objects = Array.from({ length: integer(random, 1, 4) }, () => ({ metadata: randomMetadata(random) }))
      const table = shuffled(random, { rows: objects.map(object => shuffled(random, { object, cells: ['a', 1] })) })
      const events = objects.map(object =>
        JSON.stringify(
          shuffled(random, { type: choose(random, ['ADDED', 'MODIFIED']), object: { ...object, kind: 'Game' } }),
        ),
      )
      const sizes = (): number => integer(random, 1, 9)
      const wanted = objects.map(({ metadata }) => keyOf(metadata as Metadata))
      expect(read('list', Buffer.from(JSON.stringify(table)), sizes).map(keyOf)).toEqual(wanted)
      const found = read('watch', Buffer.from(`${events.join('\n')}\n`), sizes)
      expect(found.map(keyOf)).toEqual(wanted)
      expect(found.map(({ bytes, kind, type }) => [bytes, kind, type])).toEqual(
        events.map(event => [Buffer.byteLength(event), 'Game', (JSON.parse(event) as { type: string }).type]),
      )
    },
    { seeds: 100 },
  )
})

it('finds the code of an event with a Status, and of an object nothing but its key', () => {
  const event = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }
  expect(read('watch', Buffer.from(JSON.stringify(event)), () => 4)).toMatchObject([{ kind: 'Status', code: '410' }])
  const secret = {
    kind: 'Secret',
    metadata: { name: 'key', namespace: 'a', resourceVersion: '4' },
    data: { kind: 'x' },
  }
  const text = Buffer.from(JSON.stringify(secret))
  const [found] = read('object', text, () => 5)
  expect(found).toEqual({
    ...{ name: 'key', namespace: 'a', resourceVersion: '4', kind: 'Secret', type: '', code: '' },
    bytes: text.length,
  })
})

it('takes any bytes without an error, and counts them', async () => {
  await forEachSeed(
    seed => {
      const random = seededRandom(seed)
      const signs = [...'{}[]",:\\ 1t'].map(sign => sign.charCodeAt(0))
      const text = Buffer.from(
        Array.from({ length: 300 }, () => (chance(random, 0.8) ? choose(random, signs) : integer(random, 0, 255))),
      )
      for (const form of ['list', 'watch', 'object'] as const)
        for (const type of ['application/json', 'application/vnd.kubernetes.protobuf'])
          read(form, text, () => integer(random, 1, 40), type)
    },
    { seeds: 200 },
  )
})

it.each(['one long text', 'many objects', 'deep braces', 'many quotes', 'one long key'])(
  'takes time in proportion to the bytes: %s',
  what => {
    const body = (size: number): Buffer => {
      const piece = {
        'one long text': () => JSON.stringify({ items: [{ metadata: { name: 'a\\"é'.repeat(size) } }] }),
        'many objects': () => JSON.stringify({ items: Array(size).fill({ metadata: { name: 'a' } }) }),
        'deep braces': () => `{"items":[${'{"x":'.repeat(size)}1${'}'.repeat(size)}]}`,
        'many quotes': () => JSON.stringify({ items: ['"'.repeat(5 * size)] }),
        'one long key': () => JSON.stringify({ items: [{ ['\\k'.repeat(3 * size)]: 1 }] }),
      }[what]
      return Buffer.from((piece as () => string)())
    }
    const sizes = [2_000, 80_000] as const
    const bodies = new Map(sizes.map(size => [size as number, body(size)]))
    for (const chunk of [100, 1e9])
      expect(growth(sizes, size => void read('list', bodies.get(size) as Buffer, () => chunk))).toBeLessThan(250)
  },
)
