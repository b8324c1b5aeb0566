import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { InvalidBodyError } from './bounds.ts'
import { anyJson } from './chunks.fixture.ts'
import { decodeJson, encodeJson } from './json.ts'

describe('decoding JSON', () => {
  it('gives what JSON.parse gives, exact or not, where no integer is beyond 2^53 − 1', () => {
    fc.assert(
      fc.property(anyJson, value => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(decodeJson(text))).toBe(text)
        expect(JSON.stringify(decodeJson(`[${text},9007199254740991]`, { exact: true }))).toBe(
          `[${text},9007199254740991]`,
        )
      }),
    )
  })

  it('X11: reads any integer exactly, and writes it back digit for digit', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.bigInt(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }))), integers => {
        const text = `{"a":[${integers.join(',')}],"b":{"c":${2n ** 53n}}}`
        const decoded = decodeJson(text, { exact: true }) as { a: (number | bigint)[] }
        expect(decoded.a.map(BigInt)).toEqual(integers)
        expect(encodeJson(decoded)).toBe(text)
      }),
    )
  })

  it.each([
    ['1e21', 10n ** 21n],
    ['1E+22', 10n ** 22n],
    ['1e23', 10n ** 23n],
    ['-1e400', -(10n ** 400n)],
    ['1e400', 10n ** 400n],
    ['123456789012345678901234567890', 123456789012345678901234567890n],
    ['12345678901234567890e2', 1234567890123456789000n],
    ['12345678901234567890.12e2', 1234567890123456789012n],
    ['900719925474099300e-2', 9007199254740993n],
    ['9007199254740993.0', 9007199254740993n],
  ])('X11: reads the integer %s exactly', (source, integer) => {
    expect(decodeJson(`{"a":[${source},1]}`, { exact: true })).toEqual({ a: [integer, 1] })
    expect(encodeJson(decodeJson(`[${source}]`, { exact: true }))).toBe(`[${integer}]`)
  })

  it('X11: reads a text of any depth exactly', () => {
    const depth = 9000
    const deep = (inner: string): string => `${'{"a":['.repeat(depth)}${inner}${']}'.repeat(depth)}`
    const inner = (value: unknown): unknown => {
      let at = value
      for (let i = 0; i < depth; i++) at = (at as { a: unknown[] }).a[0]
      return at
    }
    const read = (text: string): unknown => inner(decodeJson(deep(text), { exact: true }))
    const text = String.raw`{"__proto__":9007199254740993,"s":"12345678901234567890","\"9007199254740993":[1,-1e21,0.5,"\u0031",null]}`
    expect(encodeJson(read(text))).toBe(encodeJson(decodeJson(text, { exact: true })))
    fc.assert(
      fc.property(anyJson, value => {
        const one = JSON.stringify([value, 1])
        expect(encodeJson(read(one.replace(/1\]$/, '9007199254740993]')))).toBe(
          one.replace(/1\]$/, '9007199254740993]'),
        )
      }),
      { numRuns: 20 },
    )
    expect(() => read('1e9999')).toThrow(InvalidBodyError)
  })

  it('X11: leaves fractions and small integers numbers, however they are written', () => {
    const text = '[1.5,1e-7,-0,1.25e2,1e15,0e9999,9007199254740993.5,123456789012.5e-3,1e-400,"1e21 1234567890123456"]'
    expect(decodeJson(text, { exact: true })).toEqual(JSON.parse(text))
  })

  it.each(['1-2', '01', '9007199254740993.', '09007199254740993', '1e', '--1'])(
    'X11: takes %s for no number next to one that it reads exactly',
    source => {
      expect(() => decodeJson(`[12345678901234567890,${source}]`, { exact: true })).toThrow(InvalidBodyError)
    },
  )

  it.each(['{"a":9007199254740993,9007199254740994:1}', '{ 9007199254740993 :1}'])(
    'X11: takes %s, with a number for a key, for no JSON',
    text => {
      expect(() => decodeJson(text, { exact: true })).toThrow(InvalidBodyError)
    },
  )

  it('decodes an ordinary object exactly at the cost of JSON.parse, whatever its uid and hashes are', () => {
    const uid = '0193e5c1-1e54-7e12-8e9d-12345678901234567890'
    const metadata = { uid, labels: { hash: '7e1d4e5f6' }, creationTimestamp: '2026-11-25T01:40:38Z', generation: 5 }
    const text = JSON.stringify({ metadata, data: ['1e5', '9e9', 'sha256:1e5f00'] })
    const parse = vi.spyOn(JSON, 'parse')
    try {
      decodeJson(text, { exact: true })
      expect(parse.mock.calls).toEqual([[text]])
    } finally {
      parse.mockRestore()
    }
  })

  it.each([
    ['{"spec":{"a":[1,1e9999]}}', 'spec.a[1]'],
    ['{"b":9007199254740993,"a":-12e99999999999}', 'a'],
  ])('X11: refuses to read %s exactly, and names the path', (text, path) => {
    expect(() => decodeJson(text, { exact: true })).toThrow(
      expect.objectContaining({ code: 'INEXACT_NUMBER', path }) as Error,
    )
  })

  it('X5: takes no key for one of an earlier text', () => {
    const prefix = '{"earlier":1,'
    for (const exact of [false, true]) {
      decodeJson(String.raw`${prefix}"\\":1}`, { exact })
      expect(Object.keys(decodeJson(String.raw`${prefix}"\t":1}`, { exact }) as object)).toEqual(['earlier', '\t'])
    }
  })

  it('X5: a key that begins with an escape is read as JSON says', () => {
    const text = String.raw`{ "\u005f_proto__" : 1, "b":["\n:", {"\"x":"\":", "\u0062":2,"b":3}], "\\\"" :{"1":0,"\t":"{\"a\"" }}`
    const value = decodeJson(text)
    expect(JSON.stringify(value)).toBe(
      String.raw`{"__proto__":1,"b":["\n:",{"\"x":"\":","b":3}],"\\\"":{"1":0,"\t":"{\"a\""}}`,
    )
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    const key = fc.constantFrom('\\', '\t', '"', '\n', '\u0001x', 'a', '__proto__')
    fc.assert(
      fc.property(
        fc.dictionary(key, fc.oneof(anyJson, fc.dictionary(key, anyJson))),
        fc.constantFrom(undefined, 1, '\t'),
        (object, layout) => {
          const text = JSON.stringify({ earlier: 1, object }, null, layout)
          expect(JSON.stringify(decodeJson(text), null, layout)).toBe(text)
        },
      ),
    )
  })

  it('X3: an error quotes nothing of the text', () => {
    const secret = '{"data":{"password":"aHVudGVyMg=="} x'
    expect(() => decodeJson(secret)).toThrow(InvalidBodyError)
    expect(() => decodeJson(secret)).toThrow(/^the answer is not JSON \(37 characters\)$/)
  })

  it('X5: keys such as __proto__ are data', () => {
    const text = '{"__proto__":{"a":9007199254740993},"constructor":1}'
    const value = decodeJson(text, { exact: true }) as object
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(encodeJson(value)).toBe(text)
  })

  it('refuses to encode what JSON can not say', () => {
    const loop: Record<string, unknown> = { big: 1n }
    loop.self = loop
    expect(() => encodeJson(loop)).toThrow(TypeError)
    expect(() => encodeJson(undefined)).toThrow('a value of type undefined is no JSON')
  })
})
