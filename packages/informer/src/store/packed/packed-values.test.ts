import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Identity } from '../../entries/identity.ts'
import { UnpackableValueError } from '../../errors.ts'
import { PackedValues } from './packed-values.ts'

const identity: Identity = { key: 'ns/settings', uid: '8f14e45f-ceea-467f-9a0b-1c2d3e4f5a6b', resourceVersion: '1234' }

/** A changed copy (npm run mutants) has seconds for all tests. */
const isMutant = process.env.STRYKER_MUTATOR_WORKER !== undefined

let values: PackedValues<unknown>

beforeEach(() => {
  values = new PackedValues<unknown>(false)
})

/** Packed twice, and so both as what is seen first and as what is known. */
function readBack(value: unknown, of: Identity = identity): unknown {
  const first = values.pack(of, value)
  const second = values.pack(of, value)
  const [one, other] = [values.value(first, of.key), values.value(second, of.key)]
  expect(isDeepStrictEqual(one, other)).toBe(true)
  expect([values.uid(second, of.key), values.resourceVersion(second, of.key)]).toEqual([of.uid, of.resourceVersion])
  return other
}

/** The size of what a value takes beside its identity. */
function sizeOf(value: unknown, times = 200): number {
  const sizes = [undefined, value].map(one => {
    const packed = new PackedValues<unknown>(false)
    for (let time = 0; time < times; time++) packed.pack(identity, one)
    return packed.stats.usedBytes / times
  })
  return (sizes[1] as number) - (sizes[0] as number)
}

describe('what is packed', () => {
  it('T5: is read back as it was, whatever JSON can say', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.uuid(),
      fc.date({ noInvalidDate: true }).map(date => `${date.toISOString().slice(0, 19)}Z`),
      fc.integer().map(String),
      fc.constantFrom('', '0', '00', '-0', '1e5', 'settings', 'ns', '1234', identity.uid as string, '\ud800', 'ÿĀ'),
    )
    const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '0', '10', 'a\0b'))
    const { tree } = fc.letrec(tie => ({
      tree: fc.oneof(
        { depthSize: 'medium' },
        text,
        fc.double(),
        fc.maxSafeInteger(),
        fc.constantFrom(null, true, false, undefined, -0, 1e300, 2 ** 53, Number.NaN, Number.NEGATIVE_INFINITY),
        fc.array(tie('tree'), { maxLength: 5 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 6, noNullPrototype: false }),
      ),
    }))
    const name = fc.constantFrom('ns/settings', 'settings', '0', 'a/a')
    fc.assert(
      fc.property(tree, name, fc.option(text, { nil: undefined }), (value, at, of) => {
        const read = readBack(value, { key: at, uid: of, resourceVersion: of })
        expect(isDeepStrictEqual(read, value)).toBe(true)
        expect(JSON.stringify(read)).toBe(JSON.stringify(value))
      }),
      { numRuns: 2000 },
    )
    for (const text of ['99991231T000000Z', '2026-13-01T00:00:00Z', '1969-12-31T23:59:59Z', '2026-01-01t00:00:00Z']) {
      expect(readBack(text)).toBe(text)
    }
  })

  it('T5: keeps keys in their order, and those that would set a prototype, and objects without one', () => {
    const object = JSON.parse('{"b":1,"__proto__":{"x":1},"a":2,"1":3}') as object
    const read = readBack([object, object]) as object[]
    expect(read).toStrictEqual([object, object])
    expect(Object.keys(read[1] as object)).toEqual(['1', 'b', '__proto__', 'a'])
    expect(Object.getPrototypeOf(read[1])).toBe(Object.prototype)
    const bare = Object.assign(Object.create(null), { a: 1 }) as object
    const [one, other] = readBack([bare, bare, { a: 1 }, { a: 1 }]) as object[]
    expect([Object.getPrototypeOf(one), Object.getPrototypeOf(other)]).toEqual([null, null])
    // lists of keys that would be one if they were joined
    expect(readBack([{ 'a\0b': 1 }, { 'a\0b': 1 }, { a: 1, b: 2 }, { a: 1, b: 2 }])).toStrictEqual([
      { 'a\0b': 1 },
      { 'a\0b': 1 },
      { a: 1, b: 2 },
      { a: 1, b: 2 },
    ])
  })

  it('T5: may be long, wide and deep', () => {
    let deep: unknown = 'end'
    for (let level = 0; level < 500; level++) deep = level % 2 === 0 ? { deep } : [deep]
    const wide = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`key-${index}`, index]))
    for (const value of [deep, wide, 'x'.repeat(3_000_000), 'ü設'.repeat(50_000), ['y'.repeat(70_000), 'z']]) {
      expect(readBack(value)).toStrictEqual(value)
    }
    expect(readBack('short')).toBe('short')
  })

  it('T5: is made anew at each read, and frozen deep where it is to be', () => {
    const value = { metadata: { labels: { app: 'web' } }, list: [{}, Object.create(null)] }
    const handle = values.pack(identity, value)
    const read = values.value(handle, identity.key) as typeof value
    expect(read).not.toBe(values.value(handle, identity.key))
    read.metadata.labels.app = 'other'
    expect(values.value(handle, identity.key)).toStrictEqual(value)
    const frozen = new PackedValues<unknown>(true)
    const of = frozen.value(frozen.pack(identity, value), identity.key) as typeof value
    for (const one of [of, of.metadata.labels, of.list, ...of.list]) expect(Object.isFrozen(one)).toBe(true)
  })

  it('T5: takes few bytes for what has a shorter form, and for what objects have in common', () => {
    const { uid, resourceVersion } = identity
    const ofIdentity = ['settings', 'ns', uid, resourceVersion]
    expect(sizeOf(ofIdentity, 1)).toBeLessThan(ofIdentity.length + 2)
    expect(sizeOf('2026-01-31T12:00:00Z', 1)).toBeLessThan(6)
    expect(sizeOf('0ab1c2d3-e4f5-4a6b-8c7d-9e0fa1b2c3d4', 1)).toBeLessThan(17)
    expect(sizeOf('4711471147', 1)).toBeLessThan(6)
    expect(sizeOf('app.kubernetes.io/managed-by')).toBeLessThan(3)
    expect(
      sizeOf({ 'app.kubernetes.io/name': 'a-rather-long-label', 'app.kubernetes.io/component': 'x' }),
    ).toBeLessThan(8)
  })

  it.each([
    '0ab1c2d3-e4f5-4a6b-8c7d-9e0fa1b2c3dg',
    'gab1c2d3-e4f5-4a6b-8c7d-9e0fa1b2c3d4',
    '0ab1c2d3-e4f5-4a6b-8c7d-9e0fa1b2c3é4',
    '0AB1C2D3-E4F5-4A6B-8C7D-9E0FA1B2C3D4',
    '0ab1c2d3+e4f5-4a6b-8c7d-9e0fa1b2c3d4',
    '0ab1c2d3-e4f5-4a6b-8c7d-9e0fa1b2c3d45',
    '2026-02-30T12:00:00Z',
    '2026-01-31 12:00:00Z',
    '2026-01-31T12:00:00+',
    '1970-01-01T00:00:00Z',
    '007',
    '0',
    '12345678901234567890',
    '12a',
    '1.5',
  ])('T5: is not mistaken for what has a shorter form: %s', text => {
    expect(readBack([text, `${text}`])).toEqual([text, text])
  })

  it.each<[string, unknown, readonly string[], string]>([
    ['a function', { run() {} }, ['run'], 'a function'],
    ['a symbol', [Symbol('s')], ['0'], 'a symbol'],
    ['a bigint', { spec: { replicas: 1n } }, ['spec', 'replicas'], 'a bigint'],
    ['a Map', { a: [new Map()] }, ['a', '0'], 'a Map'],
    ['a Date', new Date(0), [], 'a Date'],
    ['an instance of a class', { at: new (class Point {})() }, ['at'], 'a Point'],
    ['a hole in a list', { a: Array(1) }, ['a', '0'], 'a hole in a list'],
  ])('T5: refuses %s, says where it is, and keeps nothing of the rest', (_, value, path, what) => {
    const rest = { text: 'a text that is there twice', again: 'a text that is there twice' }
    const pack = (): unknown => values.pack(identity, { list: [rest, rest], value })
    expect(pack).toThrow(UnpackableValueError)
    expect(pack).toThrow(
      expect.objectContaining({
        code: 'UNPACKABLE_VALUE',
        path: ['value', ...path],
        what,
        message: expect.any(String),
      }),
    )
    expect(values.stats).toMatchObject({ values: 0, texts: 0, shapes: 0 })
  })

  it('T5: refuses what is nested in itself', () => {
    const [object, list]: [Record<string, unknown>, unknown[]] = [{}, []]
    object.self = object
    list.push(list)
    for (const value of [object, list]) {
      expect(() => values.pack(identity, value)).toThrow(/nested deeper than 500 levels, or in itself/)
    }
  })
})

describe('what is let go of', () => {
  /** As of an object that changes: some of it stays, some comes again, some never. */
  const state = (version: number): unknown => ({
    metadata: { name: 'settings', labels: { app: 'web', revision: `revision-${version >> 1}` } },
    [`key-${version >> 1}`]: `value ${version >> 1}`,
    data: 'x'.repeat(version % 300),
  })

  it('T5: leaves nothing: texts, shapes and buffers are those of what is held, whatever came before', () => {
    const handles: number[] = []
    const count = 200
    const versions = isMutant ? 3000 : 30_000
    for (let version = 0; version < versions; version++) {
      const place = version % count
      const former = handles[place]
      handles[place] = values.pack(identity, state(version))
      if (former !== undefined) values.free(former)
    }
    const { stats } = values
    expect(stats.values).toBe(count)
    // Each pair of states has a text, a key and a shape of its own.
    expect([stats.texts, stats.shapes]).toEqual([
      expect.toSatisfy(n => n <= 2 * count),
      expect.toSatisfy(n => n <= count),
    ])
    expect(stats.bytes).toBeLessThan(4 * stats.usedBytes)
    expect(handles.map(handle => values.value(handle, identity.key))).toStrictEqual(
      Array.from({ length: count }, (_, place) => state(versions - count + place)),
    )
    for (const handle of handles) values.free(handle)
    expect(values.stats).toMatchObject({ values: 0, usedBytes: 0, texts: 0, shapes: 0 })
    // A byte for each slot: it tells handles of before from those to come.
    expect(values.stats.bytes).toBeLessThan(2 * count)
  })

  it('T5: keeps a text as long as one value has it', () => {
    const handles = [1, 2, 3].map(() => values.pack(identity, { shared: 'a text of many' }))
    for (const handle of handles.splice(0, 2)) values.free(handle)
    expect(values.value(handles[0] as number, identity.key)).toEqual({ shared: 'a text of many' })
    expect(values.stats).toMatchObject({ values: 1, texts: 1, shapes: 1 })
  })

  it('T5: can not be read, nor let go of again', () => {
    const [gone, other] = [values.pack(identity, 'gone'), values.pack(identity, 'other')]
    values.free(gone)
    const readings = [
      () => values.value(gone, identity.key),
      () => values.uid(gone, identity.key),
      () => values.resourceVersion(gone, identity.key),
      () => values.free(gone),
    ]
    for (const read of readings) expect(read).toThrow('after it was let go of')
    values.pack(identity, 'in its place')
    for (const read of readings) expect(read).toThrow('after it was let go of')
    expect(values.value(other, identity.key)).toBe('other')
  })

  it('T5: is harmless to let go of once all is', () => {
    const handle = values.pack(identity, { shared: 'a text', again: ['a text'] })
    values.end()
    values.free(handle)
    expect(values.stats).toEqual({ values: 0, bytes: 0, usedBytes: 0, texts: 0, shapes: 0 })
    expect(() => values.value(handle, identity.key)).toThrow('after it was let go of')
  })
})
