import type { Json, JsonObject } from '@wherry/cel/internal'
import { messageOfKind } from '../generated/protobuf-messages.ts'
import { type Field, fieldsByNumber, isListMessage } from './fields.ts'
import { fieldsOf, ProtobufError, type RawField } from './reader.ts'
import { specials, textOf, whole } from './special.ts'

const magic = [0x6b, 0x38, 0x73, 0x00]
/** The maximum depth: deeper than any object of Kubernetes, and not too deep for the stack. */
const maxDepth = 1_000
const noBytes = new Uint8Array()

/**
 * Decodes a body in Kubernetes' protobuf to the JSON that Go writes for the same object.
 *
 * @throws ProtobufError if the bytes are no such body
 */
export function decodeProtobuf(body: Uint8Array): JsonObject {
  if (!magic.every((byte, i) => body[i] === byte)) {
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  }
  if (body.length === magic.length) throw new ProtobufError('empty body')
  let [apiVersion, kind, raw] = ['', '', noBytes]
  for (const { number, value } of fieldsOf(body.subarray(magic.length))) {
    if (number === 2) raw = bytesOf(value) as typeof raw
    if (number !== 1) continue
    for (const part of fieldsOf(bytesOf(value))) {
      if (part.number === 1) apiVersion = textOf(part.value)
      if (part.number === 2) kind = textOf(part.value)
    }
  }
  const head = { apiVersion, kind }
  const message = messageOfKind[`${apiVersion}/${kind}`]
  // Only the type of an unknown kind can be read, and the caller refuses the kind by it.
  return message === undefined ? head : Object.assign(head, read(message, raw, 0))
}

function bytesOf(value: RawField['value']): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new ProtobufError('proto: wrong wireType = 0')
}

/** Reads the object with the fields of a message. */
function read(message: string, bytes: Uint8Array, depth: number): JsonObject {
  if (depth > maxDepth) throw new ProtobufError('proto: too deep')
  const fields = fieldsByNumber(message)
  const object: JsonObject = {}
  for (const { number, value } of fieldsOf(bytes)) {
    const field = fields.get(number)
    // A newer client sends fields that this version does not know.
    if (field !== undefined) add(object, field, value, depth)
  }
  return object
}

function add(object: JsonObject, { name, around, type, isKept }: Field, given: RawField['value'], depth: number): void {
  if (around === '{}') {
    const entry = [...fieldsOf(bytesOf(given))]
    const [key, value] = [1, 2].map(number => entry.find(part => part.number === number)?.value)
    // Without a prototype, so that `__proto__` is an ordinary key.
    object[name] ??= Object.create(null) as JsonObject
    const map = object[name] as JsonObject
    map[textOf(key)] = jsonOf(type, value ?? noBytes, depth) ?? null
    return
  }
  const value = jsonOf(type, given, depth)
  if (around === '[]') {
    object[name] ??= []
    ;(object[name] as Json[]).push(value ?? null)
  } else if (name === '') Object.assign(object, value)
  else if (value !== undefined && (isKept || !isEmpty(value))) object[name] = value
}

function isPlain(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty(value: Json): boolean {
  return value === '' || value === 0 || value === false || (isPlain(value) && Object.keys(value).length === 0)
}

function jsonOf(type: string, given: RawField['value'], depth: number): Json | undefined {
  switch (type) {
    case 's':
      return textOf(given)
    case 'b':
      return Buffer.from(bytesOf(given)).toString('base64')
    case 't':
      return given !== 0n
    case 'i':
      return whole(given)
    case 'd':
      return double(given)
    default:
      return messageOf(type, bytesOf(given), depth)
  }
}

function messageOf(type: string, bytes: Uint8Array, depth: number): Json | undefined {
  const special = specials[type]
  if (special !== undefined) return special(bytes, (name, below) => read(name, below, depth + 1))
  const object = read(type, bytes, depth + 1)
  return isListMessage(type) ? (object[''] ?? []) : object
}

function double(given: RawField['value']): number {
  if (typeof given !== 'bigint') throw new ProtobufError('proto: wrong wireType = 2')
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, given)
  return view.getFloat64(0)
}
