import { growth } from '@wherry/testing/testkit/growth'
import { readJson } from '@wherry/testing/testkit/read-json'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidBodyError, ItemTooLongError } from './bounds.ts'
import { anyItem, anyJson, chunked, lend, pieces } from './chunks.fixture.ts'
import { ListCutter, type ListCutterOptions } from './list.ts'

function cut(
  chunks: Iterable<Uint8Array | string>,
  options?: ListCutterOptions,
): { items: object[]; cutter: ListCutter } {
  const cutter = new ListCutter(options)
  const items: object[] = []
  const drain = (): void => {
    for (let item = cutter.next(); item !== undefined; item = cutter.next()) items.push(item)
  }
  for (const chunk of chunks) {
    lend(chunk, lent => {
      cutter.push(lent)
      drain()
      cutter.keep()
    })
  }
  cutter.finish()
  drain()
  return { items, cutter }
}

/** A list body with its fields in any order, in any layout. */
const anyList = fc
  .record({
    items: fc.option(fc.array(anyItem, { maxLength: 6 }), { nil: null }),
    metadata: fc.record({ resourceVersion: fc.nat().map(String), continue: fc.string() }, { requiredKeys: [] }),
    extra: fc.option(anyJson, { nil: undefined }),
    order: fc.shuffledSubarray(['kind', 'metadata', 'items', 'apiVersion', 'extra'], { minLength: 5 }),
    layout: fc.constantFrom(undefined, 1, 2, '\t', '\r\n '),
  })
  .map(({ items, metadata, extra, order, layout }) => {
    const values: Record<string, unknown> = { kind: 'List', apiVersion: 'v1', metadata, items, extra }
    return JSON.stringify(Object.fromEntries(order.map(name => [name, values[name]])), null, layout)
  })

const anyListInChunks = anyList.chain(text =>
  fc.record({ text: fc.constant(text), chunks: chunked(Buffer.from(text)) }),
)

describe('cutting a list', () => {
  it('without managedFields gives what JSON.parse gives, less those of each item’s own metadata', () => {
    // Within them and next to them is text that looks like the border of items.
    const managedFields = fc.oneof({ weight: 4, arbitrary: fc.array(anyItem, { maxLength: 3 }) }, anyJson)
    const metadata = fc.record({ name: fc.string(), managedFields, labels: anyJson }, { requiredKeys: ['name'] })
    const template = fc.record({ metadata: fc.record({ managedFields }) })
    const item = fc.record(
      { metadata, managedFields, spec: fc.oneof(template, anyJson) },
      { requiredKeys: ['metadata'] },
    )
    const lists = fc
      .record({
        items: fc.array(item, { maxLength: 6 }),
        layout: fc.constantFrom(undefined, 1, '\t'),
        typed: fc.boolean(),
      })
      .chain(({ items, layout, typed }) => {
        const text = JSON.stringify({ kind: typed ? 'GameList' : 'List', apiVersion: 'v1', items }, null, layout)
        const type = typed ? { kind: 'Game', apiVersion: 'v1' } : {}
        return fc.record({ text: fc.constant(text), type: fc.constant(type), chunks: chunked(Buffer.from(text)) })
      })
    fc.assert(
      fc.property(lists, ({ text, type, chunks }) => {
        const whole = readJson(text) as { items: { metadata: object }[] }
        const expected = whole.items.map(({ metadata, ...rest }) => {
          const { managedFields: _, ...kept } = metadata as { managedFields?: unknown }
          return { ...type, metadata: kept, ...rest }
        })
        const { items, cutter } = cut(chunks, { lean: true })
        expect(items.map(each => JSON.stringify(each))).toEqual(expected.map(each => JSON.stringify(each)))
        expect(cutter.done).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('R7: gives what JSON.parse gives, for any list, layout and chunking', () => {
    fc.assert(
      fc.property(anyListInChunks, ({ text, chunks }) => {
        const whole = readJson(text) as { items: object[] | null; metadata: object }
        const { items, cutter } = cut(chunks)
        expect(items.map(item => JSON.stringify(item))).toEqual((whole.items ?? []).map(item => JSON.stringify(item)))
        expect(cutter.done).toBe(true)
        expect(cutter.sawItems).toBe(true)
        expect(cutter.head).toEqual({ kind: 'List', apiVersion: 'v1', metadata: whole.metadata })
      }),
      { numRuns: 2000 },
    )
  })

  it('R7: hands an item on as soon as the next one begins, and the last one at the end', () => {
    const cutter = new ListCutter()
    const seen: (object | undefined)[] = []
    const send = (text: string): void => {
      cutter.push(Buffer.from(text))
      seen.push(cutter.next())
    }
    send('{"kind":"List","items":[{"metadata":{"name":"a"}}')
    send(',{"metadata":{"name":"b"}}')
    send(',{"metadata":{"name":"c"}},{"metadata":')
    send('{"name":"d"}}]')
    expect(seen).toEqual([
      { metadata: { name: 'a' } },
      { metadata: { name: 'b' } },
      { metadata: { name: 'c' } },
      undefined,
    ])
    send('}')
    cutter.finish()
    expect(cutter.next()).toEqual({ metadata: { name: 'd' } })
    expect(cutter.next()).toBeUndefined()
    expect(cutter.done).toBe(true)
  })

  it('says how long each item was, in bytes', () => {
    const items = Array.from({ length: 20 }, (_, i) => ({ metadata: { name: `n${i}` }, text: 'ü€𝄞'.repeat(i) }))
    const body = Buffer.from(JSON.stringify({ kind: 'AList', apiVersion: 'v1', items, metadata: {} }))
    const cutter = new ListCutter()
    const lengths: number[] = []
    for (let at = 0; at < body.length; at += 50) {
      cutter.push(body.subarray(at, at + 50))
      if (at + 50 >= body.length) cutter.finish()
      while (cutter.next() !== undefined) lengths.push(cutter.itemBytes)
    }
    expect(lengths).toEqual(items.map(item => Buffer.byteLength(JSON.stringify(item))))
  })

  it('R20: gives items of a built-in list its kind and apiVersion, first as in a watch event', () => {
    const list = {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7' },
      items: [{ metadata: { name: 'a' } }, {}],
    }
    for (const layout of [undefined, 2]) {
      const { items } = cut([JSON.stringify(list, null, layout)])
      expect(items.map(item => JSON.stringify(item))).toEqual([
        '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}',
        '{"kind":"ConfigMap","apiVersion":"v1"}',
      ])
    }
  })

  it('R20: leaves items that say what they are, and falls back on what the caller knows', () => {
    const own = { apiVersion: 'ex.io/v1', kind: 'Game', metadata: { name: 'a' } }
    const late = { metadata: { name: 'b' }, kind: 'Other' }
    const bare = { metadata: { name: 'c' } }
    const body = JSON.stringify({ items: [own, late, bare], kind: 'GameList', apiVersion: 'ex.io/v1', metadata: {} })
    expect(cut([body], { type: { kind: 'Game', apiVersion: 'ex.io/v1' } }).items).toEqual([
      own,
      { ...late, apiVersion: 'ex.io/v1' },
      { ...bare, kind: 'Game', apiVersion: 'ex.io/v1' },
    ])
    expect(cut([body]).items).toEqual([own, late, bare])
  })

  it('R7: is not misled by arrays within items that look like the list', () => {
    const claims = [{ metadata: { name: 'x' } }, { metadata: { name: 'y' } }, { metadata: { name: 'z' } }]
    const items = Array.from({ length: 100 }, (_, i) => ({
      metadata: { name: `s${i}` },
      spec: { claims, items: [claims] },
    }))
    const body = Buffer.from(JSON.stringify({ kind: 'List', metadata: { items: [1] }, items }))
    expect(cut([body]).items).toEqual(items)
    expect(cut(pieces(body, 100)).items).toEqual(items)
  })

  it('X4: an item of nothing but likely borders costs linear time', () => {
    const cutOne = (length: number): void => {
      const inner = Array.from({ length }, () => '{"metadata":1}').join(',')
      const body = Buffer.from(`{"items":[{"metadata":1},{"metadata":2},{"metadata":3,"a":[${inner}]},{"metadata":4}]}`)
      expect(cut(pieces(body, 16_384)).items.length).toBe(4)
    }
    expect(growth([5_000, 200_000], cutOne)).toBeLessThan(250)
  })

  it('R7: long items in tiny chunks cost linear time', () => {
    const cutOne = (length: number): void => {
      const body = Buffer.from(JSON.stringify({ items: [{ a: 1 }, { a: 2 }, { a: 'x'.repeat(length) }, { a: 3 }] }))
      expect(cut(pieces(body, 7)).items.length).toBe(4)
    }
    expect(growth([50_000, 2_000_000], cutOne)).toBeLessThan(250)
  })

  it('X4: stops at an item longer than the bound, however it is cut', () => {
    const long = { a: 'x'.repeat(3000) }
    for (const items of [[long], [{ a: '' }, { a: '' }, long, { a: '' }], [{ a: '' }, { b: '' }, long]]) {
      const body = Buffer.from(JSON.stringify({ items }))
      for (const size of [100, 1_000_000]) {
        expect(() => cut(pieces(body, size), { maxItemBytes: 2000 })).toThrow(ItemTooLongError)
        expect(cut(pieces(body, size), { maxItemBytes: 4000 }).items).toEqual(items)
      }
    }
    const head = `{"metadata":${JSON.stringify({ continue: 'x'.repeat(3000) })},"items":[]}`
    expect(() => cut([head], { maxItemBytes: 2000 })).toThrow(ItemTooLongError)
  })

  it('reads past fields that it does not know, however long they are, and holds none of them', () => {
    const body = Buffer.from(
      `{"items":[{"a":1}],"more":${JSON.stringify(['x'.repeat(5000), { items: [{}] }])},"kind":"List"}`,
    )
    const { items, cutter } = cut(pieces(body, 100), { maxItemBytes: 200 })
    expect(items).toEqual([{ a: 1 }])
    expect(cutter.head).toEqual({ kind: 'List', apiVersion: undefined, metadata: {} })
    expect(cut(['{"metadata":null,"items":[]}']).cutter.head.metadata).toEqual({})
  })

  it('X4: takes an item of exactly the bound, and none of one byte more, wherever it is', () => {
    const item = { a: 'x'.repeat(100) }
    const size = JSON.stringify(item).length
    for (const items of [[item], [item, item, item, item]]) {
      for (const chunk of [1, 10, 10_000]) {
        const body = Buffer.from(JSON.stringify({ items }))
        expect(cut(pieces(body, chunk), { maxItemBytes: size }).items).toEqual(items)
        expect(() => cut(pieces(body, chunk), { maxItemBytes: size - 1 })).toThrow(ItemTooLongError)
      }
    }
  })

  it('says when the body was cut short', () => {
    const body = JSON.stringify({
      kind: 'List',
      items: [{ a: 1 }, { a: 2 }, { a: 3 }],
      metadata: { resourceVersion: '1' },
    })
    for (let length = 0; length < body.length; length++) expect(cut([body.slice(0, length)]).cutter.done).toBe(false)
    expect(cut([body]).cutter.done).toBe(true)
  })

  it('distinguishes a body without items from an empty list', () => {
    expect(cut(['{"kind":"Status","status":"Failure"}']).cutter.sawItems).toBe(false)
    expect(cut(['{"items":[]}']).cutter.sawItems).toBe(true)
    expect(cut(['{"items":null}']).cutter.sawItems).toBe(true)
  })

  it.each([
    '[]',
    'null',
    '<html>',
    '{"items":{}}',
    '{"items":[1]}',
    '{"items":[{"a":1},]}',
    '{"items":[{"a":1} {"a":2}]}',
    '{"items":[{"a":}]}',
    '{"items":[{"a":1],"b":2}}',
    '{"items":[],"items":[]}',
    '{"items":[],}',
    '{"items":[]}{',
    '{"kind":1}',
    '{"apiVersion":1}',
    '{"apiVersion":null,"items":[]}',
    '{"metadata":1}',
    '{"items":"none"}',
    '{"metadata":[]}',
    '{"apiVersion":,}',
    '{items:[]}',
  ])('refuses %s, and does not quote it', body => {
    let thrown: unknown
    try {
      cut([body])
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(InvalidBodyError)
    expect((thrown as InvalidBodyError).message).not.toContain(body)
    expect((thrown as InvalidBodyError).cause).toBeUndefined()
  })

  it('X11: gives long integers digit for digit where asked to', () => {
    const body =
      '{"kind":"AList","apiVersion":"v1","items":[{"n":9007199254740993},{"n":[1,-9223372036854775808]},{"n":"9007199254740993","m":1e20}]}'
    expect(cut([body], { exact: true }).items).toEqual([
      { kind: 'A', apiVersion: 'v1', n: 9007199254740993n },
      { kind: 'A', apiVersion: 'v1', n: [1, -9223372036854775808n] },
      { kind: 'A', apiVersion: 'v1', n: '9007199254740993', m: 10n ** 20n },
    ])
    expect(cut([body]).items[0]).toMatchObject({ n: 9007199254740992 })
  })

  it('X5: keys such as __proto__ are data', () => {
    const [item] = cut(['{"kind":"AList","apiVersion":"v1","items":[{"__proto__":{"polluted":1},"constructor":2}]}'], {
      exact: true,
    }).items
    expect(Object.keys(item as object)).toEqual(['kind', 'apiVersion', '__proto__', 'constructor'])
    expect((item as { polluted?: unknown }).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(item)).toBe(Object.prototype)
  })
})
