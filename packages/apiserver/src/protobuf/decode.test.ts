import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtinKinds } from '../generated/builtin-fields.ts'
import { messageOfKind, messages } from '../generated/protobuf-messages.ts'
import { decodeProtobuf } from './decode.ts'
import { goDuration } from './go-duration.ts'
import { ProtobufError } from './reader.ts'
import { bytesOf, message } from './testkit/bytes-of.ts'
import objects from './testkit/objects.json' with { type: 'json' }

/** Go writes a field that is nil and not optional as `null`, and protobuf has no empty lists. */
function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNothing)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, one]) => [key, withoutNothing(one)] as const)
  return Object.fromEntries(entries.filter(([, one]) => one !== null && !(Array.isArray(one) && one.length === 0)))
}

// Random objects of `go run . -objects 20` in tools/generate/protobuf, which fills them as Kubernetes' own tests do.
describe('F1: a body in protobuf is the JSON that Go writes of the same object', () => {
  it.each(objects.map(({ kind, body, json }) => [kind, body, json] as const))('%s', (_, body, json) => {
    const decoded = JSON.parse(JSON.stringify(decodeProtobuf(Buffer.from(body, 'base64'))))
    expect(withoutNothing(decoded)).toEqual(withoutNothing(json))
  })
})

it('F1: each kind that is served has a message, and each message those below it', () => {
  expect(Object.keys(builtinKinds).filter(kind => messages[messageOfKind[kind] ?? ''] === undefined)).toEqual([])
  const below = Object.values(messages).flatMap(text =>
    [...text.matchAll(/=(?:\[\]|\{\})?([\w.]{2,})/g)].map(([, name]) => name),
  )
  expect(below.filter(name => messages[name as string] === undefined)).toEqual([])
})

it('X9: bytes of others are decoded or are a ProtobufError, cut anywhere, with any byte changed, and however deep', () => {
  const bodies = fc.constantFrom(...objects.map(({ body }) => Buffer.from(body, 'base64')))
  fc.assert(
    fc.property(bodies, fc.nat(), fc.nat(255), fc.boolean(), (body, at, byte, isCut) => {
      const given = isCut ? body.subarray(0, at % body.length) : Buffer.from(body)
      if (!isCut) given[at % body.length] = byte
      try {
        JSON.stringify(decodeProtobuf(given))
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError)
      }
    }),
    { numRuns: 2_000 },
  )
  let schema = message({ 5: 'object' })
  for (let depth = 0; depth < 20_000; depth++) schema = message({ 28: schema })
  const deep = bytesOf('CustomResourceDefinition', 'apiextensions.k8s.io/v1', { 2: { 7: { 4: { 1: schema } } } })
  expect(() => decodeProtobuf(deep)).toThrow(ProtobufError)
})

it('F1: keys of maps may be names that objects have', () => {
  const body = bytesOf('ConfigMap', 'v1', {
    2: [
      { 1: '__proto__', 2: 'a' },
      { 1: 'constructor', 2: 'b' },
    ],
  })
  expect(JSON.stringify(decodeProtobuf(body))).toContain('"data":{"__proto__":"a","constructor":"b"}')
})

it.each([
  [0n, '0s'],
  [1n, '1ns'],
  [1_500n, '1.5µs'],
  [20_000_000n, '20ms'],
  [1_000_000_000n, '1s'],
  [61_000_000_000n, '1m1s'],
  [3_600_500_000_000n, '1h0m0.5s'],
  [-90_000_000_000n, '-1m30s'],
])('%s nanoseconds are %s, as Go prints them', (nanoseconds, text) => expect(goDuration(nanoseconds)).toBe(text))
