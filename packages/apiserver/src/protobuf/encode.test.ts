import { readFileSync } from 'node:fs'
import { type JsonObject, parseJson } from '@wherry/cel/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messageOfKind } from '../generated/protobuf-messages.ts'
import { decodeProtobuf } from './decode.ts'
import { encodeList, encodeMessage, encodeObject, encodeWatchEvent } from './encode.ts'
import { objectOfMessage } from './testkit/random-object.ts'

interface Sample {
  readonly kind: string
  readonly body: string
  readonly json: JsonObject
}

const text = readFileSync(new URL('./testkit/objects.json', import.meta.url), 'utf8')
const objects = parseJson(text) as unknown as readonly Sample[]
/** Has JSON of any form, in which Go escapes characters that need it in HTML alone. */
const anyForm = 'apps/v1/ControllerRevision'

// Random objects of `go run . -objects 20` in tools/generate/protobuf.
describe('F1: an object is written in the bytes that Go writes of the same object', () => {
  it.each(objects.filter(({ kind }) => kind !== anyForm).map(({ kind, body, json }) => [kind, body, json] as const))(
    '%s',
    (_, body, json) => expect(encodeObject(json).toString('base64')).toBe(body),
  )
})

it('F1: an object of each built-in kind is the same after it was written in protobuf and read', () => {
  const kinds = Object.keys(messageOfKind)
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.integer(), (kind, seed) => {
      const slash = kind.lastIndexOf('/')
      const [apiVersion, name] = [kind.slice(0, slash), kind.slice(slash + 1)]
      const object = { apiVersion, kind: name, ...objectOfMessage(messageOfKind[kind] as string, seed) }
      const bytes = encodeObject(object)
      const read = decodeProtobuf(bytes)
      expect(withoutEmpty(JSON.parse(JSON.stringify(read)))).toEqual(withoutEmpty(JSON.parse(JSON.stringify(object))))
      expect(encodeObject(read).equals(bytes)).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})

/** What says nothing, whether it is there or not. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, one]) => [key, withoutEmpty(one)] as const)
  const said = entries.filter(
    ([, one]) =>
      one !== null &&
      one !== 0 &&
      one !== '' &&
      one !== '0' &&
      one !== false &&
      JSON.stringify(one) !== '{}' &&
      JSON.stringify(one) !== '[]',
  )
  return Object.fromEntries(said)
}

it('F1: keys of maps are in the order of their bytes, whatever order the object has them in', () => {
  const data = { '\u{1f600}': 'z', '\uff01': 'y', a: 'x', 1: 'w' }
  const written = encodeObject({ apiVersion: 'v1', kind: 'ConfigMap', data }).toString()
  expect([...written].filter(letter => 'wxyz'.includes(letter)).join('')).toBe('wxyz')
})

it('F1: numbers of 64 bits keep all their digits', () => {
  const object = parseJson('{"apiVersion":"v1","kind":"Namespace","metadata":{"generation":-9007199254740995}}')
  expect(JSON.stringify(decodeProtobuf(encodeObject(object as JsonObject)))).toContain('-9007199254740995')
})

it('F1: a value that is longer than any buffer is written whole', () => {
  const data = { long: 'x'.repeat(3_000_000), bytes: 'y' }
  expect(decodeProtobuf(encodeObject({ apiVersion: 'v1', kind: 'ConfigMap', data }))).toMatchObject({ data })
})

it('F1: a list and an event of a watch have the frames of a real server', () => {
  const item = encodeMessage('core.v1.ConfigMap', { metadata: { name: 'a' } })
  const list = encodeList({
    apiVersion: 'v1',
    kind: 'ConfigMapList',
    metadata: { resourceVersion: '7' },
    items: [item],
  })
  const hex = `6b3873000a130a027631120d${Buffer.from('ConfigMapList').toString('hex')}`
  expect(list.toString('hex')).toBe(`${hex}121e0a070a001201371a001213${item.toString('hex')}1a002200`)
  const event = encodeWatchEvent('ADDED', list)
  expect(event.readUInt32BE(0)).toBe(event.length - 4)
  expect(event.subarray(4, 13).toString('latin1')).toBe(`\n\x05ADDED\x12${String.fromCharCode(list.length + 2)}`)
})

it('F1: a kind without a message is an error', () => {
  expect(() => encodeObject({ apiVersion: 'a.example.com/v1', kind: 'Game' })).toThrow(
    'no protobuf message is known of a.example.com/v1/Game',
  )
})
