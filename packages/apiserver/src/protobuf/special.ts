import type { Json } from '@wherry/cel/internal'
import { goDuration } from './go-duration.ts'
import { numberOf, parse } from './json.ts'
import { fieldsOf, ProtobufError } from './reader.ts'

/** Returns the JSON for the bytes of a message. `message` reads the bytes of another message. */
type Special = (bytes: Uint8Array, message: (name: string, bytes: Uint8Array) => Json) => Json | undefined

/** Messages with a JSON form that is not an object of their fields. `undefined` is the empty value. */
export const specials: Readonly<Record<string, Special>> = {
  'apiextensions.v1.JSON': jsonText,
  'apiextensions.v1.JSONSchemaPropsOrArray': (bytes, message) => {
    const { 1: schema, 2: schemas = [] } = grouped(bytes)
    const read = (one: Uint8Array): Json => message('apiextensions.v1.JSONSchemaProps', one)
    return schemas.length > 0 || schema === undefined
      ? (schemas as Uint8Array[]).map(read)
      : read(schema[0] as Uint8Array)
  },
  'apiextensions.v1.JSONSchemaPropsOrBool': (bytes, message) => {
    const { 1: allows, 2: schema } = grouped(bytes)
    if (schema !== undefined) return message('apiextensions.v1.JSONSchemaProps', schema[0] as Uint8Array)
    return allows?.[0] === 1n
  },
  'apiextensions.v1.JSONSchemaPropsOrStringArray': (bytes, message) => {
    const { 1: schema, 2: names = [] } = grouped(bytes)
    return names.length > 0 || schema === undefined
      ? names.map(textOf)
      : message('apiextensions.v1.JSONSchemaProps', schema[0] as Uint8Array)
  },
  'intstr.IntOrString': bytes => {
    const { 1: type = [], 2: number = [], 3: text = [] } = grouped(bytes)
    return type[0] === 1n ? textOf(text[0]) : whole(number[0])
  },
  'meta.v1.Duration': bytes => goDuration(BigInt.asIntN(64, (grouped(bytes)[1]?.[0] as bigint | undefined) ?? 0n)),
  'meta.v1.FieldsV1': jsonText,
  'meta.v1.MicroTime': bytes => time(bytes, 6),
  'meta.v1.Time': bytes => time(bytes, 0),
  'resource.Quantity': bytes => textOf(grouped(bytes)[1]?.[0]) || '0',
  'runtime.RawExtension': jsonText,
}

const decoder = new TextDecoder()

/** A text, or '' if there is none. */
export function textOf(value: bigint | Uint8Array | undefined): string {
  return value instanceof Uint8Array ? decoder.decode(value) : ''
}

/** A number of 64 bits with all its digits, or 0 if there is none. */
export function whole(value: bigint | Uint8Array | undefined): Json {
  return typeof value === 'bigint' ? numberOf(BigInt.asIntN(64, value)) : 0
}

function integer(value: bigint | Uint8Array | undefined): number {
  return typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0
}

function grouped(bytes: Uint8Array): { [number: number]: (bigint | Uint8Array)[] } {
  const found: { [number: number]: (bigint | Uint8Array)[] } = {}
  for (const { number, value } of fieldsOf(bytes)) {
    found[number] ??= []
    found[number].push(value)
  }
  return found
}

function jsonText(bytes: Uint8Array): Json | undefined {
  const text = textOf(grouped(bytes)[1]?.[0])
  if (text === '') return undefined
  try {
    return parse(text)
  } catch (cause) {
    throw new ProtobufError((cause as Error).message, { cause })
  }
}

/** Returns `undefined` if the time is not set. */
function time(bytes: Uint8Array, digits: 0 | 6): Json | undefined {
  if (bytes.length === 0) return undefined
  const { 1: seconds = [], 2: nanos = [] } = grouped(bytes)
  const date = new Date(integer(seconds[0]) * 1_000)
  if (Number.isNaN(date.getTime())) throw new ProtobufError(`no time is ${integer(seconds[0])} seconds after 1970`)
  const text = date.toISOString().slice(0, -'.000Z'.length)
  const fraction = digits === 0 ? '' : `.${String(Math.floor(integer(nanos[0]) / 1_000)).padStart(6, '0')}`
  return `${text}${fraction}Z`
}
