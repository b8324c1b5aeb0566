import { readJson } from '@wherry/testing/testkit/read-json'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { anyJson } from './chunks.fixture.ts'
import { decodeLean } from './managed-fields.ts'

const itself = (value: unknown): object | null | undefined => value as object | null | undefined
const lean = (text: string): string | undefined => JSON.stringify(decodeLean(text, itself))

/** What `decodeLean` promises, in other words. */
function expected(text: string): string | undefined {
  const value = readJson(text) as { metadata?: { managedFields?: unknown } | null } | null
  const { metadata } = value ?? {}
  if (typeof metadata === 'object') delete metadata?.managedFields
  return JSON.stringify(value)
}

const managed = fc.oneof(
  fc.array(fc.record({ manager: fc.string(), fieldsV1: anyJson }), { maxLength: 3 }),
  fc.constant([{ 'f:managedFields': { '.': {} }, text: '"managedFields":[{]}' }]),
)
const field = fc.tuple(
  fc.constantFrom('name', 'managedFields', 'x"managedFields', 'x\\"managedFields', 'labels', '__proto__'),
  fc.oneof(anyJson, managed),
)
const withFields = fc
  .array(field, { maxLength: 3 })
  .map(fields => readJson(`{${fields.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`) as object)
const anyObject = fc.record(
  { before: withFields, metadata: fc.oneof(withFields, anyJson), managedFields: managed, spec: withFields },
  { requiredKeys: [] },
)

/** JSON as text, not as the parsed value: so that keys may come twice and be spelt in any way. */
const { text: jsonText } = fc.letrec<{ text: string; value: string }>(tie => {
  const space = fc.constantFrom('', '', '', ' ', '\n\t')
  const spelt = (word: string): fc.Arbitrary<string> =>
    fc.constantFrom(word, word, word, `\\u00${word.charCodeAt(0).toString(16)}${word.slice(1)}`)
  const name = fc.oneof(
    { weight: 4, arbitrary: spelt('managedFields') },
    { weight: 4, arbitrary: spelt('metadata') },
    fc
      .constantFrom('a', ',\\"managedFields', '{\\"managedFields', '\\\\', 'managedFields\\', '__proto__', '')
      .map(each => (each.endsWith('s\\') ? `${each}\\` : each)),
  )
  const named = fc.tuple(name, space, space, tie('value'), space).map(([key, a, b, value, c]) => {
    return `"${key}"${a}:${b}${value}${c}`
  })
  const object = fc.array(named, { maxLength: 4 }).map(each => `{${each.join()}}`)
  const list = fc.array(tie('value'), { maxLength: 3 }).map(each => `[${each.join()}]`)
  const scalar = fc.constantFrom(
    ...['0', '-0', '1', 'null', 'true', '""', '"\\""', '"]"', '"[{"', '"\\\\"', '"}]"'],
    ...['"\\"managedFields\\":["', '",\\"managedFields\\":[0]"', '"managedFields"'],
  )
  return {
    text: object,
    value: fc.oneof({ depthSize: 'medium' }, scalar, list, object),
  }
})

describe('decoding without managedFields', () => {
  it('gives what JSON.parse gives without metadata.managedFields, whatever else has that name or looks like it', () => {
    fc.assert(
      fc.property(anyObject, fc.constantFrom(undefined, 1, '\t'), (object, layout) => {
        const text = JSON.stringify(object, null, layout)
        expect(lean(text)).toBe(expected(text))
        expect(JSON.stringify(decodeLean(text, itself, true))).toBe(expected(text))
      }),
      { numRuns: 3000 },
    )
  })

  it('gives the same for any text that is JSON, however it is written: keys twice, escapes, any layout', () => {
    fc.assert(
      fc.property(jsonText, fc.nat({ max: 3 }), (text, events) => {
        const at = events === 0 ? text : `{"type":"ADDED","object":${text}}`
        const found = (value: unknown): object | null | undefined =>
          events === 0 ? itself(value) : (value as { object: object }).object
        const whole = readJson(at)
        const { metadata } = (found(whole) ?? {}) as { metadata?: { managedFields?: unknown } | null }
        if (typeof metadata === 'object') delete metadata?.managedFields
        for (const isWhole of [false, true]) {
          expect(JSON.stringify(decodeLean(at, found, isWhole))).toBe(JSON.stringify(whole))
        }
      }),
      { numRuns: 5000 },
    )
  })

  it('gives undefined for text that is cut short, wherever', () => {
    fc.assert(
      fc.property(jsonText, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (text, part) => {
        const whole = `{"metadata":${text},"spec":${text}}`
        expect(decodeLean(whole.slice(0, Math.floor(whole.length * part)), itself)).toBeUndefined()
      }),
      { numRuns: 2000 },
    )
  })

  const parses = (text: string): string[] => {
    const parse = vi.spyOn(JSON, 'parse')
    lean(text)
    const texts = parse.mock.calls.map(([parsed]) => parsed)
    parse.mockRestore()
    return texts
  }

  it.each([
    [
      'last of the metadata',
      '{"metadata":{"name":"a","managedFields":[{"a":["]"]}]},"data":1}',
      '{"metadata":{"name":"a"},"data":1}',
    ],
    ['first of it', '{"metadata":{"managedFields":[],"name":"a"}}', '{"metadata":{"name":"a"}}'],
    ['in the midst', '{"metadata":{"b":1,"managedFields":[{"x":{}}],"name":"a"}}', '{"metadata":{"b":1,"name":"a"}}'],
    [
      'with quotes and backslashes',
      '{"metadata":{"managedFields":[{"x":"\\"]\\\\"},"\\\\\\"["],"name":"a"}}',
      '{"metadata":{"name":"a"}}',
    ],
    [
      'with a quote that ends no text',
      '{"metadata":{"managedFields":[{"f:\\"]":{}}],"name":"a"}}',
      '{"metadata":{"name":"a"}}',
    ],
  ])('never parses them: %s', (_, text, without) => {
    expect(lean(text)).toBe(without)
    const parsed = parses(text)
    expect(parsed).toHaveLength(1)
    expect(parsed[0]).toMatch(/"managedFields":\d/)
  })

  it.each([
    ['there are none', '{"metadata":{"name":"a"}}'],
    ['another field has the name', '{"data":{"managedFields":[1]},"metadata":{"name":"a"}}'],
    ['a template has the name', '{"metadata":{"name":"a"},"spec":{"template":{"metadata":{"managedFields":[1]}}}}'],
    ['a key ends so', '{"metadata":{"x\\"managedFields":[1]}}'],
    ['a string says so', '{"metadata":{"name":",\\"managedFields\\":[1]"}}'],
    ['a string is so', '{"metadata":{"name":"managedFields","x":[1]}}'],
    ['metadata are text', '{"metadata":"x"}'],
    ['metadata are null', '{"metadata":null}'],
    ['it is no object', '[{"managedFields":[1]}]'],
    ['it is nothing', 'null'],
    ['it is a number', '0'],
  ])('changes nothing where %s', (_, text) => {
    expect(lean(text)).toBe(text)
  })

  it.each([
    '',
    '{',
    '{"metadata":{"managedFields":[',
    '{"metadata":{"managedFields":["',
    '{"metadata":{"managedFields":["\\',
    '"managedFields":[]',
    '{"managedFields":[}',
    '{"metadata":{"managedFields":[}}}',
    // Cut short within the list, as an item is at a border that was guessed wrong: with a mark up to the inner `}]` it would be JSON.
    '{"metadata":{"managedFields":[{"a":[{}]}}',
  ])('gives undefined for text that is no JSON: %s', text => {
    expect(decodeLean(text, itself)).toBeUndefined()
  })

  it.each([
    ['null', '{"metadata":{"a":1,"managedFields":null}}'],
    ['no list', '{"metadata":{"a":1,"managedFields":{"a":1}}}'],
    [
      'a number, and another field of that name is a list',
      '{"data":{"managedFields":[1]},"metadata":{"a":1,"managedFields":0}}',
    ],
    ['given again', '{"metadata":{"managedFields":[1],"a":1,"managedFields":[{"b":[2]}]}}'],
    ['given again with its metadata', '{"metadata":{"managedFields":[1]},"metadata":{"a":1,"managedFields":[2]}}'],
    ['given again with another spelling', '{"metadata":{"managedFields":[1],"a":1,"managed\\u0046ields":[2]}}'],
    ['spelt with an escape', '{"data":{"managedFields":[1]},"metadata":{"a":1,"\\u006danagedFields":[2]}}'],
    ['in metadata spelt with an escape', '{"\\u006detadata":{"managedFields":[1]},"metadata":{"a":1}}'],
    ['in another layout', '{"metadata":{"a":1, "managedFields" :\n[]}}'],
    ['not the first of that name', '{"data":{"managedFields":[1]},"metadata":{"a":1,"managedFields":[2]}}'],
  ])('leaves them out after the parse where they are %s', (_, text) => {
    expect(lean(text)).toBe(expected(text))
    expect(lean(text)).toContain('"metadata":{"a":1}')
  })

  it.each([
    ['a string within them has what looks like their end', '{"metadata":{"managedFields":[{"x":"}]"}],"name":"a"}}'],
    ['a string goes on as an object might', '{"metadata":{"managedFields":[{"x":"}],"}],"name":"a"}}'],
    ['a list within them ends so', '{"metadata":{"managedFields":[{"a":[{}]}],"name":"a"}}'],
    ['a list within a list ends so', '{"metadata":{"managedFields":[[{}],[{}]],"name":"a"}}'],
    ['they are no objects', '{"metadata":{"managedFields":["}",[]],"name":"a"}}'],
  ])('leaves them out of a text that is known to be whole, if %s', (_, text) => {
    expect(JSON.stringify(decodeLean(text, itself, true))).toBe('{"metadata":{"name":"a"}}')
  })

  it('finds the object where it is said to be', () => {
    const text = '{"type":"ADDED","object":{"metadata":{"name":"a","managedFields":[{}]}}}'
    const event = decodeLean<{ type: string; object: object }>(text, value => value.object)
    expect(event).toEqual({ type: 'ADDED', object: { metadata: { name: 'a' } } })
    const objectOf = (value: { object?: object }): object | undefined => value.object
    expect(decodeLean('null', objectOf)).toBeNull()
    expect(decodeLean('{"object":', objectOf)).toBeUndefined()
    expect(decodeLean('{"type":"ADDED"}', (value: { object?: object }) => value.object)).toEqual({ type: 'ADDED' })
  })
})
