import { parseJson, sameJson } from '@wherry/cel/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readYaml, YamlError } from './yaml.ts'

const value = (text: string): unknown => readYaml(text).value

describe('YAML', () => {
  it('F1: JSON is YAML', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(sameJson(readYaml(text).value, parseJson(text))).toBe(true)
        // A space before it: only what has none is read as JSON.
        expect(sameJson(readYaml(` ${text}`).value, parseJson(text))).toBe(true)
      }),
    )
  })

  it('F1: JSON that is read as JSON has all that YAML says of it', () => {
    const texts = [
      '{"a":1,"b":{"a":[]},"a":2}',
      '{"a":12345678901234567890,"b":9007199254740993,"c":-0,"d":1e21,"e":1e400,"f":1e-7}',
      '{"<<":{"a":1},"b":2}',
      '{"__proto__":{"a":1},"2":1,"1":2,"":null}',
      '{"a":"yes","b":"\\ud800","c":"\u2028 \u0085","d":"# *x &y: {"}',
    ]
    for (const text of texts) {
      const [asIs, asYaml] = [readYaml(text), readYaml(` ${text}`)]
      expect(JSON.stringify(asIs.value)).toBe(JSON.stringify(asYaml.value))
      expect(asIs.duplicates).toEqual(asYaml.duplicates)
    }
  })

  it('F1: has the types of YAML 1.1, but for times, bytes and the base of sixty, which are texts', () => {
    expect(value('a: yes\nb: off\nc: 017\nd: ~\ne: 1e3\nf: 2026-01-01\ng: 1:30\nh: "y"\ni: 0x1f\n')).toEqual({
      ...{ a: true, b: false, c: 15, d: null, e: 1000 },
      ...{ f: '2026-01-01', g: '1:30', h: 'y', i: 31 },
    })
    expect(value('a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}')).toEqual({ a: { b: 1 }, c: { b: 1 }, d: { b: 1, e: 2 } })
    expect([value(''), value('  \n'), value('text'), value('1: 2')]).toEqual([null, null, 'text', { 1: 2 }])
  })

  it('F1: keeps long integers digit for digit', () => {
    expect(JSON.stringify(value('a: 12345678901234567890\nb: 7'))).toBe('{"a":12345678901234567890,"b":7}')
  })

  it('F1: a number beyond a float is a text, and what JSON has no number for is refused', () => {
    expect(value('{"a":1e400,"b":-1E+400,"c":1e3}')).toEqual({ a: '1e400', b: '-1E+400', c: 1000 })
    const refused = { '.inf': '+Inf', '-.inf': '-Inf', '.nan': 'NaN' }
    for (const [text, name] of Object.entries(refused)) {
      expect(() => value(`a: ${text}`)).toThrow(new YamlError(`json: unsupported value: ${name}`))
    }
  })

  it('F1: of keys that are given twice the last one holds, and each is reported', () => {
    expect(readYaml('a: 1\nb:\n  c: 1\n  "c": 2\na: 3\n')).toEqual({
      value: { a: 3, b: { c: 2 } },
      duplicates: ['line 4: key "c" already set in map', 'line 5: key "a" already set in map'],
    })
  })

  it('F1: text that is no YAML is refused with its line', () => {
    for (const text of ['a: [', 'a: b: c', '{', 'a: *none']) expect(() => readYaml(text)).toThrow(YamlError)
    expect(() => readYaml('a: 1\nb: [')).toThrow(/^yaml: line \d: /)
    expect(() => readYaml('&a [*a]')).toThrow(YamlError)
  })
})
