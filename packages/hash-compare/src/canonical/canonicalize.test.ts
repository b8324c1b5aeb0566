import { runInNewContext } from 'node:vm'
import { readJson } from '@wherry/testing/testkit/read-json'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { InexactIntegerError, NotJsonError } from '../errors.ts'
import { canonicalize } from './canonicalize.ts'
import { json, reordered, simplyCanonical } from './plain.fixture.ts'
import { printed } from './writer.ts'

const caught = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

/** A double of its bits. */
function double(bits: string): number {
  return Buffer.from(bits, 'hex').readDoubleBE()
}

describe('RFC 8785, its published vectors', () => {
  it('H1, X11: prints the sample of section 3.2.2, to the bytes of section 3.2.4, without its large integer', () => {
    const sample = String.raw`{
      "numbers": [333333333.33333329, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    const bytes = `7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62
      65 72 73 22 3a 5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 34 2e 35 2c 30 2e 30 30
      32 2c 31 65 2d 32 37 5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e 41 27 42 5c 22 5c 5c
      5c 5c 5c 22 2f 22 7d`
    expect(Buffer.from(canonicalize(JSON.parse(sample))).toString('hex')).toBe(bytes.replaceAll(/\s/g, ''))
    const whole = JSON.parse(sample.replace('29, ', '29, 1E30, '))
    expect(caught(() => canonicalize(whole))).toMatchObject({ code: 'INEXACT_INTEGER', path: '/numbers/1' })
  })

  it('H1: sorts keys by UTF-16 code units, as in section 3.2.3', () => {
    const sample = String.raw`{ "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis" }`
    expect(
      Object.values(JSON.parse(canonicalize(JSON.parse(sample)).replace('"1":', '"\\u0031 ":')) as object),
    ).toEqual([
      ...['Carriage Return', 'One', 'Control', 'Latin Small Letter O With Diaeresis', 'Euro Sign'],
      ...['Emoji: Grinning Face', 'Hebrew Letter Dalet With Dagesh'],
    ])
  })

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('H1: prints the number %s of appendix B as %s', (bits, text) => {
    expect(canonicalize(double(bits))).toBe(text)
  })

  it.each([
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef50', '1e+21'],
  ])('X11: refuses the integer %s of appendix B, which may be the neighbour of what was meant (%s)', (bits, text) => {
    expect(`${double(bits)}`).toBe(text)
    expect(() => canonicalize(double(bits))).toThrow(InexactIntegerError)
  })

  it.each([
    ['7fffffffffffffff', 'NaN'],
    ['7ff0000000000000', 'Infinity'],
  ])('H1: refuses the number %s of appendix B, which is %s', (bits, text) => {
    expect(() => canonicalize(double(bits))).toThrow(NotJsonError)
    expect(() => canonicalize(double(bits))).toThrow(text)
  })

  it.each([
    ['arrays', '[56,{"d":true,"10":null,"1":[]}]', '[56,{"1":[],"10":null,"d":true}]'],
    [
      'french',
      '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
      '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
    ],
    [
      'structures',
      String.raw`{"1":{"f":{"f":"hi","F":5},"\n":56.0},"10":{},"":"empty","a":{},"111":[{"e":"yes","E":"no"}],"A":{}}`,
      String.raw`{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}`,
    ],
    ['unicode', String.raw`{"Unnormalized Unicode":"A\u030a"}`, '{"Unnormalized Unicode":"A\u030a"}'],
    [
      'weird',
      String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\u000a":"Newline","1":"One","\u0080":"Control\u007f",
        "\ud83d\ude02":"Smiley","\u00f6":"Latin Small Letter O With Diaeresis",
        "\ufb33":"Hebrew Letter Dalet With Dagesh","</script>":"Browser Challenge"}`,
      '{"\\n":"Newline","\\r":"Carriage Return","1":"One","</script>":"Browser Challenge","\u0080":"Control\u007f",' +
        '"ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😂":"Smiley","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    ],
  ])('H1: gives the output of the published file %s', (_, input, output) => {
    expect(canonicalize(JSON.parse(input))).toBe(output)
  })
})

describe('canonicalize', () => {
  it('H1: agrees with a simple implementation', () => {
    fc.assert(fc.property(json, value => canonicalize(value) === simplyCanonical(value)))
  })

  it('H1: is the same in whatever order members come', () => {
    fc.assert(
      fc.property(json, fc.array(fc.double({ noNaN: true }), { minLength: 5, maxLength: 5 }), (value, numbers) => {
        let at = 0
        expect(canonicalize(reordered(value, () => numbers[at++ % 5] as number))).toBe(canonicalize(value))
      }),
    )
  })

  it('H1: is the same of what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(json, value => {
        const text = canonicalize(value)
        expect(canonicalize(readJson(text))).toBe(text)
      }),
    )
  })

  it('H1: leaves out members that are undefined, and keys that are symbols', () => {
    expect(canonicalize({ b: undefined, a: 1, [Symbol('s')]: 2, c: undefined })).toBe('{"a":1}')
    expect(canonicalize({ a: undefined })).toBe('{}')
    expect(canonicalize([{}, [], '', null, true, false, -0, 1.0, 1e-7])).toBe('[{},[],"",null,true,false,0,1,1e-7]')
  })

  it('X5: __proto__, constructor and toJSON are keys as others', () => {
    const text = '{"__proto__":{"b":1},"constructor":2,"hasOwnProperty":3,"toJSON":4}'
    const value = JSON.parse(text) as Record<string, unknown>
    expect(canonicalize(value)).toBe(text)
    expect(canonicalize(Object.assign(Object.create(null), { toString: 1 }))).toBe('{"toString":1}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>).b).toBeUndefined()
  })

  it('takes objects of another realm, and does not call toJSON', () => {
    expect(canonicalize(runInNewContext('({ b: [{ a: 1 }], a: 2 })'))).toBe('{"a":2,"b":[{"a":1}]}')
    expect(caught(() => canonicalize({ a: { toJSON: () => 1 } }))).toMatchObject({ path: '/a/toJSON' })
  })

  it('prints strings of any length, without cutting a character in two', () => {
    for (const length of [47, 48, 49, 4094, 4095, 4096, 4097, 8191, 8192, 8193, 70_000]) {
      for (const character of ['a', 'é', '€', '😀', '\u0001', '"', '\\', '\u2028', '\u007f']) {
        for (const text of [
          character.repeat(length),
          `-${character.repeat(length)}`,
          `${'a'.repeat(length)}${character}`,
        ]) {
          expect(canonicalize({ [text]: text }) === JSON.stringify({ [text]: text }), `${length} ${character}`).toBe(
            true,
          )
        }
      }
    }
  })

  it('prints a value that is longer than its buffer, wherever that ends', () => {
    const list: unknown[] = []
    for (let i = 0; i < 30_000; i++)
      list.push('😀é\u0001abc'.repeat(i % 13), i, i % 3 === 0, null, { [`k${i}`]: [[[i / 7]]] })
    expect(canonicalize(list) === JSON.stringify(list)).toBe(true)
    const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${100_000 + i}`, 'short']))
    expect(canonicalize(members) === JSON.stringify(members)).toBe(true)
    for (const size of [5_000, 9_240, 12_319, 12_320, 12_321]) {
      const escaped = Array.from({ length: 5 }, (_, i) => '\u0001'.repeat(size + i))
      expect(canonicalize(escaped) === JSON.stringify(escaped)).toBe(true)
    }
  })

  it('H1: makes no second copy of a large string: neither as JSON nor as bytes', () => {
    const stringify = vi.spyOn(JSON, 'stringify')
    const sizes: number[] = []
    const value = { data: '0123456789'.repeat(100_000), list: Array.from({ length: 10_000 }, () => 'some more text') }
    printed(
      value,
      'number',
      piece => void sizes.push(piece.length),
      rest => void sizes.push(rest.length),
    )
    const longest = Math.max(...stringify.mock.calls.map(([text]) => (text as string).length))
    stringify.mockRestore()
    expect(longest).toBeLessThanOrEqual(4096)
    expect(sizes.length).toBeGreaterThan(15)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536)
    // Handed on when it is nearly full, not before.
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(36_000)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(JSON.stringify(value).length)
  })

  it('prints up to 1,000 levels, and says where there are more, also in a cycle', () => {
    const nested = (levels: number): unknown => {
      let value: unknown = 'in'
      for (let i = 0; i < levels; i++) value = i % 2 === 0 ? { k: value } : [value]
      return value
    }
    expect(canonicalize(nested(1000)) === JSON.stringify(nested(1000))).toBe(true)
    const error = caught(() => canonicalize(nested(1001)))
    expect(error).toBeInstanceOf(NotJsonError)
    expect((error as NotJsonError).path.split('/')).toHaveLength(1001)
    expect((error as NotJsonError).message).toMatch('nested more than 1000 levels deep')
    expect((error as NotJsonError).message.length).toBeLessThan(500)
    expect(caught(() => canonicalize(nested(1_000_000)))).toBeInstanceOf(NotJsonError)
  })

  it('takes an object that is in two places, which is no cycle', () => {
    const twice = { a: 1 }
    expect(canonicalize([twice, { twice }, twice])).toBe('[{"a":1},{"twice":{"a":1}},{"a":1}]')
    expect(caught(() => canonicalize([twice, twice, { x: Number.NaN }]))).toMatchObject({ path: '/2/x' })
  })

  const cycle: Record<string, unknown> = { a: [{}] }
  ;(cycle.a as Record<string, unknown>[])[0] = { b: cycle }

  it.each<[string, unknown, string, string]>([
    ['undefined', undefined, '', 'the value is not JSON: undefined'],
    ['NaN', { a: [1, Number.NaN] }, '/a/1', 'the value at /a/1 is not JSON: NaN'],
    ['an infinity', { b: { a: Number.NEGATIVE_INFINITY } }, '/b/a', '-Infinity'],
    ['undefined in a list', [1, undefined], '/1', 'undefined'],
    // biome-ignore lint/suspicious/noSparseArray: it is what is tested
    ['a hole in a list', [1, , 2], '/1', 'undefined'],
    ['a function', { 'a/b': { 'c~d': () => 1 } }, '/a~1b/c~0d', 'a function'],
    ['a symbol', { a: Symbol('x') }, '/a', 'a symbol'],
    ['a bigint', { a: 1n }, '/a', "a bigint, without integers: 'bigint'"],
    ['a Date', { a: new Date(0) }, '/a', 'an object of class Date'],
    ['a Map', new Map(), '', 'an object of class Map'],
    ['a Buffer', [Buffer.from('a')], '/0', 'an object of class Buffer'],
    ['a boxed string', [new String('a')], '/0', 'an object of class String'],
    ['an object of an object', { a: Object.create({ b: 1 }) }, '/a', 'an object of class Object'],
    ['an object of what looks like an Object.prototype', Object.create({ isPrototypeOf: 1 }), '', 'of class Object'],
    ['an object of a nameless class', Object.create(Object.create(null)), '', 'an object of a class'],
    ['a cycle', cycle, '/a/0/b', 'a cycle: it holds itself'],
    ['a lone high surrogate', { a: 'x\ud83d' }, '/a', 'a string with a lone surrogate'],
    ['a lone low surrogate', [`${'x'.repeat(5000)}\udc00x`], '/0', 'a string with a lone surrogate'],
    ['a lone surrogate in a key', { a: { '\udc00': 1 } }, '/a', 'a key with a lone surrogate'],
  ])('H1: refuses %s, with its path', (_, value, path, message) => {
    const error = caught(() => canonicalize(value))
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({
      name: 'NotJsonError',
      code: 'NOT_JSON',
      path,
      message: expect.stringContaining(message),
    })
  })

  it('finds an error after everything valid', () => {
    const well = [null, true, 'x', 1, 1.5, [], {}, [[]], { a: undefined, b: 'x'.repeat(99) }]
    expect(caught(() => canonicalize([...well, Number.NaN]))).toMatchObject({ path: '/9' })
    const exact = { a: [1n, { b: 2n ** 64n }], c: well, d: 2 ** 53 }
    expect(caught(() => canonicalize(exact, { integers: 'bigint' }))).toMatchObject({
      code: 'INEXACT_INTEGER',
      path: '/d',
    })
    expect(caught(() => canonicalize(exact))).toMatchObject({ code: 'NOT_JSON', path: '/a/0' })
  })

  it.each([
    [2 ** 53, ''],
    [{ spec: { ports: [1, -(2 ** 53)] } }, '/spec/ports/1'],
    [{ a: 1e20 }, '/a'],
    [{ a: 1e21 }, '/a'],
    [{ a: 1, b: [1e22] }, '/b/0'],
    [JSON.parse('{"a":123456789012345678901234567890}'), '/a'],
    [{ a: -1.7976931348623157e308 }, '/a'],
  ])('H1, X11: refuses an integer beyond 2^53 - 1, with its path: %j', (value, path) => {
    for (const options of [{}, { integers: 'bigint' } as const]) {
      const error = caught(() => canonicalize(value, options))
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toMatchObject({ name: 'InexactIntegerError', code: 'INEXACT_INTEGER', path })
    }
    expect((caught(() => canonicalize(2 ** 53)) as Error).message).toBe(
      'the value is an integer beyond 2^53 - 1, which a number does not hold exactly',
    )
    expect(canonicalize([2 ** 53 - 1, 1 - 2 ** 53])).toBe('[9007199254740991,-9007199254740991]')
  })

  it('X11: takes a bigint when asked, and writes it digit for digit', () => {
    const value = { b: 9007199254740993n, a: [-1n, 12345678901234567890n, 10n ** 30n], c: 5 }
    const text = `{"a":[-1,12345678901234567890,1${'0'.repeat(30)}],"b":9007199254740993,"c":5}`
    expect(canonicalize(value, { integers: 'bigint' })).toBe(text)
    expect(canonicalize({ c: 5n }, { integers: 'bigint' })).toBe(canonicalize({ c: 5 }))
    const long = 10n ** 100_000n
    expect(canonicalize([long, 1], { integers: 'bigint' }) === `[${long},1]`).toBe(true)
    fc.assert(fc.property(fc.bigInt(), each => canonicalize([each], { integers: 'bigint' }) === `[${each}]`))
  })

  it('X6: refuses unknown options', () => {
    const refused = (options: unknown): unknown => caught(() => canonicalize(1, options as object))
    const option = 'canonicalize.integers'
    expect(refused({ integers: 'float' })).toMatchObject({ name: 'OptionRangeError', code: 'INVALID_OPTION', option })
    expect(refused({ integers: true })).toMatchObject({ name: 'OptionTypeError', code: 'INVALID_OPTION', option })
    expect(refused({ bigint: true })).toMatchObject({ name: 'OptionTypeError', option: 'canonicalize.bigint' })
    expect(refused(null)).toMatchObject({ name: 'OptionTypeError', option: 'canonicalize' })
    for (const integers of [undefined, 'number', 'bigint'] as const) expect(canonicalize(1, { integers })).toBe('1')
  })

  it('can be called by a getter of what it prints, and goes on after one that throws', () => {
    const value = {
      a: 'before',
      get b() {
        return canonicalize({ z: 'x'.repeat(100_000), a: canonicalize(['inner']) }).length
      },
      c: 'after',
    }
    expect(canonicalize(value)).toBe('{"a":"before","b":100026,"c":"after"}')
    const broken = {
      get a(): number {
        throw new RangeError('mine')
      },
    }
    expect(() => canonicalize(['x', broken])).toThrow('mine')
    expect(canonicalize(['y'])).toBe('["y"]')
    let throws = true
    const passing = {
      get a(): number {
        if (!throws) return Number.NaN
        throws = false
        throw new RangeError('once')
      },
    }
    expect(() => canonicalize(passing)).toThrow('once')
    let reads = 0
    const fickle = {
      get a() {
        return reads++ === 0 ? Number.NaN : 1
      },
    }
    expect(caught(() => canonicalize(fickle))).toMatchObject({
      path: '',
      message: 'the value is not JSON: it changed while it was read',
    })
  })
})
