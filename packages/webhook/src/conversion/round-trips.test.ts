import type { CustomResourceDefinition, JSONSchemaProps } from '@wherry/client/resources/apiextensions'
import { chance, forEachSeed, seededRandom } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { levels, levelsV1beta1 } from '../testkit/conversion/levels.ts'
import { Conversion } from './conversion.ts'
import { differences } from './differences.ts'
import { UnconvertibleError } from './errors.ts'
import { numbersOf, randomValue } from './random-object.ts'
import { roundTrips } from './round-trips.ts'

const schemaOf = (spec: object): object => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } },
})
const definitionOf = (v1: object, v1beta1: object, more: readonly object[] = []): CustomResourceDefinition =>
  ({
    metadata: { name: 'levels.arcade.example.com' },
    spec: {
      versions: [
        { name: 'v1', served: true, storage: true, schema: schemaOf(v1) },
        { name: 'v1beta1', served: true, storage: false, schema: schemaOf(v1beta1) },
        ...more,
      ],
    },
  }) as never
const word = { type: 'string' }
const same = new Conversion(levels).version(levelsV1beta1, {
  toHub: ({ spec }) => ({ spec: spec as never }),
  fromHub: ({ spec }) => ({ spec: spec as never }),
})
const dropping = new Conversion(levels).version(levelsV1beta1, {
  toHub: ({ spec }) => ({ spec: { word: spec?.word } as never }),
  fromHub: ({ spec }) => ({ spec: { word: spec?.word } as never }),
})
const saidBy = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'nothing is lost',
    (error: Error) => error.message,
  )

describe('round trips', () => {
  it('B4: names the fields that get lost on each way, with a seed', async () => {
    const definition = definitionOf(
      { word, color: word },
      { word, sizes: { type: 'array', items: { type: 'integer' } } },
    )
    const said = await saidBy(roundTrips(dropping, { definition }))
    expect(said).toContain('the conversion of levels.arcade.example.com:\n')
    expect(said).toMatch(/ v1 → v1beta1 → v1 loses spec\.color \(seed \d+: \{"spec":\{.*"color":/)
    expect(said).toMatch(/ v1beta1 → v1 → v1beta1 loses spec\.sizes \(seed \d+: \{/)
    expect(said.split('\n')).toHaveLength(3)
    expect(await roundTrips(dropping, { definition, loses: ['spec.color', 'spec.sizes'] })).toEqual([
      { way: 'v1beta1 → v1 → v1beta1', paths: ['spec.sizes'] },
      { way: 'v1 → v1beta1 → v1', paths: ['spec.color'] },
    ])
    expect(await roundTrips(same, { definition })).toEqual([])
  })

  it('B4: an expected loss that never comes is an error', async () => {
    const definition = definitionOf({ word }, { word })
    expect(await saidBy(roundTrips(same, { definition, loses: ['spec.color'] }))).toContain(
      'spec.color is expected to get lost, and never did: leave it out of loses',
    )
  })

  it('B4: names an object that can not be converted, unless converters may refuse', async () => {
    const picky = (isAlways: boolean): Conversion<unknown> => {
      const judged = ({ spec }: { spec?: { word?: string } }): { spec: never } => {
        if (isAlways || spec?.word === 'chess') throw new UnconvertibleError('no chess', { field: 'spec.word' })
        return { spec: spec as never }
      }
      return new Conversion(levels).version(levelsV1beta1, { toHub: judged, fromHub: judged }) as Conversion<unknown>
    }
    const definition = definitionOf({ word }, { word })
    expect(await saidBy(roundTrips(picky(false), { definition }))).toMatch(
      /v1beta1 → v1 → v1beta1 fails: spec\.word: no chess \(seed \d+: \{"spec":\{"word":"chess"\}\}\)/,
    )
    expect(await roundTrips(picky(false), { definition, mayRefuse: true })).toEqual([])
    expect(await saidBy(roundTrips(picky(true), { definition, mayRefuse: true }))).toContain('so nothing was tried')
  })

  it('B4: names each field that a conversion drops, and no other', () =>
    forEachSeed(
      async seed => {
        const random = seededRandom(seed)
        const types = { a: word, b: { type: 'integer' }, c: { type: 'array', items: word }, d: { type: 'boolean' } }
        const names = Object.keys(types)
        const keeps = names.filter(() => chance(random, 0.7))
        const nested = { ...types, deep: { type: 'object', properties: types } }
        const kept = (fields: Readonly<Record<string, unknown>>): object =>
          Object.fromEntries(Object.entries(fields).filter(([name]) => keeps.includes(name)))
        const half = ({ spec }: { spec?: object }): { spec: never } => {
          const { deep, ...rest } = (spec ?? {}) as Record<string, object>
          return { spec: { ...rest, ...(deep !== undefined && { deep: kept(deep as never) }) } as never }
        }
        const conversion = new Conversion(levels).version(levelsV1beta1, { toHub: half, fromHub: half })
        const paths = names.filter(name => !keeps.includes(name)).map(name => `spec.deep.${name}`)
        const options = { definition: definitionOf(nested, nested), seeds: 300, loses: paths }
        const ways = ['v1beta1 → v1 → v1beta1', 'v1 → v1beta1 → v1']
        const expected = paths.length === 0 ? [] : ways.map(way => ({ way, paths }))
        expect(await roundTrips(conversion, options)).toEqual(expected)
        for (const path of paths) {
          const loses = paths.filter(one => one !== path)
          expect(await saidBy(roundTrips(conversion, { ...options, loses }))).toContain(`loses ${path} (seed`)
        }
      },
      { seeds: 10 },
    ))

  it('refuses a definition that has other versions than the conversion', async () => {
    const other = definitionOf({ word }, { word }, [{ name: 'v2', served: true, storage: false, schema: schemaOf({}) }])
    expect(await saidBy(roundTrips(same, { definition: other }))).toContain('no served version but v1, v1beta1, got v2')
    const lacks = definitionOf({ word }, { word })
    lacks.spec.versions.pop()
    expect(await saidBy(roundTrips(same, { definition: lacks }))).toContain('a schema of v1beta1')
    lacks.metadata = { name: 'games.arcade.example.com' }
    expect(await saidBy(roundTrips(same, { definition: lacks }))).toContain('the definition levels.arcade.example.com')
    expect(await saidBy(roundTrips(same, { definition: lacks, seed: 1 } as never))).toContain('seed')
  })

  it('random values have the types, enums, bounds and sizes of their schema', () => {
    const schema = {
      type: 'object',
      required: ['n', 'list', 'kind'],
      properties: {
        n: { type: 'integer', minimum: 1, maximum: 3 },
        half: { type: 'number', minimum: 0, maximum: 1, multipleOf: 0.5 },
        open: { type: 'integer', minimum: 0, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true },
        list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', maxLength: 3, pattern: '^[a-z]+$' } },
        kind: { type: 'string', enum: ['x', 'y'] },
        any: { 'x-kubernetes-int-or-string': true, minimum: 7, maximum: 8 },
        fives: { type: 'integer', minimum: 1, maximum: 12, multipleOf: 5 },
        above: { type: 'integer', minimum: 1.2, maximum: 3.8 },
        inner: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 0.5, exclusiveMaximum: true },
        set: { type: 'array', minItems: 5, 'x-kubernetes-list-type': 'set', items: { type: 'boolean' } },
        keyed: {
          ...{ type: 'array', minItems: 5, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['on'] },
          items: {
            type: 'object',
            required: ['on', 'n'],
            properties: { on: { type: 'boolean' }, n: { type: 'integer' } },
          },
        },
        map: { type: 'object', additionalProperties: { type: 'boolean' } },
        at: { type: 'string', format: 'date-time' },
      },
    } as unknown as JSONSchemaProps
    const made = Array.from(
      { length: 300 },
      (_, seed) => randomValue(schema, numbersOf(seed)) as Record<string, unknown>,
    )
    const all = (field: string): unknown[] => [...new Set(made.map(one => JSON.stringify(one[field])))].sort()
    expect(all('n')).toEqual(['1', '2', '3'])
    expect(new Set(all('half'))).toEqual(new Set(['0', '0.5', '1', undefined]))
    expect(new Set(all('open'))).toEqual(new Set(['1', undefined]))
    expect(all('list').every(text => /^\["[a-z]{1,3}"(,"[a-z]{1,3}")?\]$/.test(`${text}`))).toBe(true)
    expect(all('kind')).toEqual(['"x"', '"y"'])
    expect(new Set(all('fives'))).toEqual(new Set(['5', '10', undefined]))
    expect(new Set(all('above'))).toEqual(new Set(['2', '3', undefined]))
    expect(new Set(all('any').filter(text => !`${text}`.startsWith('"')))).toEqual(new Set(['7', '8', undefined]))
    const inner = made.flatMap(({ inner }) => (inner === undefined ? [] : [Number(inner)]))
    expect(inner.filter(value => value <= 0 || value >= 0.5)).toEqual([])
    expect(new Set(all('set'))).toEqual(new Set(['[true]', '[false]', '[true,false]', '[false,true]', undefined]))
    const keys = made.map(({ keyed = [] }) => (keyed as { on: boolean }[]).map(({ on }) => on))
    expect(keys.every(each => new Set(each).size === each.length)).toBe(true)
    const named = {
      type: 'object',
      required: ['__proto__'],
      properties: JSON.parse('{"__proto__":{"type":"boolean"}}'),
    }
    expect(Object.keys(randomValue(named as JSONSchemaProps, numbersOf(1)) as object)).toEqual(['__proto__'])
    expect(all('map').length).toBeGreaterThan(5)
    expect(numbersOf(7)()).toBe(numbersOf(7)())
  })

  it('an empty object is as good as none, and an item of a list has no number', () => {
    expect(differences({ spec: {} }, { spec: { a: { b: {} } } })).toEqual([])
    expect(differences({ spec: {} }, { spec: { a: [] } })).toEqual(['spec.a'])
    expect(differences({ a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 3 }, { b: 4 }] })).toEqual(['a[].b'])
    expect(differences({ a: [1] }, { a: [1, 2] })).toEqual(['a'])
    expect(differences({ a: 1 }, { a: 1, b: null })).toEqual(['b'])
  })
})
