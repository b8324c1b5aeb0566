import type { Json, JsonObject } from '@wherry/cel/internal'
import { messageOfKind } from '../generated/protobuf-messages.ts'
import { BackwardWriter } from './backward-writer.ts'
import { specialWriters } from './encode-special.ts'
import { type Field, fieldsByNumber, isListMessage } from './fields.ts'
import { isObject, isRawNumber } from './json.ts'

const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0x00)

/** A list with encoded items. */
export interface EncodedList {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: JsonObject
  readonly items: readonly Uint8Array[]
}

/** The name of the message for objects of a kind, such as `v1` and `Pod`. Throws if Kubernetes has no message for the kind. */
export function messageNameOf(apiVersion: string, kind: string): string {
  // The discovery object of the core group has no apiVersion.
  const name = messageOfKind[`${apiVersion || 'v1'}/${kind}`]
  if (name === undefined) throw new Error(`no protobuf message is known of ${apiVersion}/${kind}`)
  return name
}

/** An object of a built-in kind in Kubernetes' protobuf, with the same bytes as Go writes for it. */
export function encodeObject(object: JsonObject): Buffer {
  const { apiVersion = '', kind = '' } = object as { readonly apiVersion?: string; readonly kind?: string }
  return inEnvelope(apiVersion, kind, encodeMessage(messageNameOf(apiVersion, kind), object))
}

/** A list of objects in Kubernetes' protobuf. */
export function encodeList({ apiVersion, kind, metadata, items }: EncodedList): Buffer {
  const writer = new BackwardWriter()
  for (const item of items.toReversed()) writeBytes(writer, 2, item)
  writeBytes(writer, 1, encodeMessage('meta.v1.ListMeta', metadata))
  return inEnvelope(apiVersion, kind, writer.whole())
}

/** A message without the envelope that contains its kind. */
export function encodeMessage(message: string, object: Json): Buffer {
  const writer = new BackwardWriter()
  write(writer, message, object)
  return writer.whole()
}

/** An event of a watch as it is sent. `object` is the result of {@link encodeObject}. */
export function encodeWatchEvent(type: string, object: Uint8Array): Buffer {
  const writer = new BackwardWriter()
  writeBytes(writer, 1, object)
  writer.lengthTag(2, 0)
  writeBytes(writer, 1, Buffer.from(type))
  const frame = Buffer.allocUnsafe(4)
  frame.writeUInt32BE(writer.length)
  writer.bytes(frame)
  return writer.whole()
}

/** `runtime.Unknown`: the kind, and the bytes of the object. */
function inEnvelope(apiVersion: string, kind: string, object: Uint8Array): Buffer {
  const writer = new BackwardWriter()
  // The encoding and content type of the bytes. Empty texts stand for the defaults.
  for (const field of [4, 3]) writeBytes(writer, field, new Uint8Array())
  writeBytes(writer, 2, object)
  const start = writer.length
  writeBytes(writer, 2, Buffer.from(kind))
  writeBytes(writer, 1, Buffer.from(apiVersion))
  writer.lengthTag(1, start)
  writer.bytes(magic)
  return writer.whole()
}

function writeBytes(writer: BackwardWriter, field: number, bytes: Uint8Array): void {
  const start = writer.length
  writer.bytes(bytes)
  writer.lengthTag(field, start)
}

function write(writer: BackwardWriter, message: string, value: Json | undefined): void {
  const special = specialWriters[message]
  if (special !== undefined) return special(writer, value, write)
  const given = isListMessage(message) ? { '': value } : isObject(value) ? value : {}
  for (const field of [...fieldsByNumber(message).values()].reverse()) {
    // A field without a name has the fields of the object itself.
    const part =
      field.name === '' && field.around === ''
        ? given
        : Object.hasOwn(given, field.name)
          ? given[field.name]
          : undefined
    writeField(writer, field, part)
  }
}

function writeField(writer: BackwardWriter, { number, around, type }: Field, value: Json | undefined): void {
  if (around === '[]') {
    if (Array.isArray(value)) for (const item of value.toReversed()) writeValue(writer, number, type, item)
  } else if (around === '{}') {
    if (isObject(value)) for (const entry of sortedEntries(value).reverse()) writeEntry(writer, number, type, entry)
  } else if ((value !== undefined && value !== null) || (around !== '*' && type !== 'b')) {
    writeValue(writer, number, type, value)
  }
}

function writeEntry(writer: BackwardWriter, number: number, type: string, [key, value]: [string, Json?]): void {
  const start = writer.length
  // Nil bytes, which are null in JSON, are left out.
  if (type !== 'b' || value !== null) writeValue(writer, 2, type, value)
  writeValue(writer, 1, 's', key)
  writer.lengthTag(number, start)
}

/** Sorts the entries by the bytes of their keys, as Go compares texts. */
function sortedEntries(map: JsonObject): [string, Json?][] {
  const entries = Object.entries(map) as [string, Json?][]
  if (!entries.some(([key]) => /[\ud800-\udfff]/.test(key))) return entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

function writeValue(writer: BackwardWriter, number: number, type: string, value: Json | undefined): void {
  const start = writer.length
  switch (type) {
    case 't':
      writer.varint(value === true ? 1 : 0)
      return writer.numberTag(number)
    case 'i':
      writer.varint(isRawNumber(value) ? BigInt(value.rawJSON) : typeof value === 'number' ? value : 0)
      return writer.numberTag(number)
    case 'd':
      writer.double(isRawNumber(value) ? Number(value.rawJSON) : typeof value === 'number' ? value : 0)
      return writer.doubleTag(number)
    case 's':
      if (typeof value === 'string') writer.text(value)
      break
    case 'b':
      if (typeof value === 'string') writer.bytes(Buffer.from(value, 'base64'))
      break
    default:
      write(writer, type, value)
  }
  writer.lengthTag(number, start)
}
