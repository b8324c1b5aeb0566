import type { Json } from '@wherry/cel/internal'
import type { BackwardWriter } from './backward-writer.ts'
import { isObject } from './json.ts'

/** Writes a value as the bytes of its message. `write` writes another message. */
type SpecialWriter = (
  writer: BackwardWriter,
  value: Json | undefined,
  write: (writer: BackwardWriter, message: string, value: Json) => void,
) => void

const schema = 'apiextensions.v1.JSONSchemaProps'

/** The opposite of `specials`: messages with a JSON form that is not an object of their fields. */
export const specialWriters: Readonly<Record<string, SpecialWriter>> = {
  'apiextensions.v1.JSON': jsonText,
  'apiextensions.v1.JSONSchemaPropsOrArray': (writer, value, write) => {
    for (const one of Array.isArray(value) ? value.toReversed() : []) nested(writer, 2, one, write)
    if (isObject(value)) nested(writer, 1, value, write)
  },
  'apiextensions.v1.JSONSchemaPropsOrBool': (writer, value, write) => {
    if (isObject(value)) nested(writer, 2, value, write)
    number(writer, 1, value === false ? 0 : 1)
  },
  'apiextensions.v1.JSONSchemaPropsOrStringArray': (writer, value, write) => {
    for (const one of Array.isArray(value) ? value.toReversed() : []) text(writer, 2, String(one))
    if (isObject(value)) nested(writer, 1, value, write)
  },
  'intstr.IntOrString': (writer, value) => {
    const isText = typeof value === 'string'
    text(writer, 3, isText ? value : '')
    number(writer, 2, typeof value === 'number' ? value : 0)
    number(writer, 1, isText ? 1 : 0)
  },
  'meta.v1.FieldsV1': jsonText,
  'meta.v1.MicroTime': time,
  'meta.v1.Time': time,
  'resource.Quantity': (writer, value) => text(writer, 1, String(value ?? '0')),
  'runtime.RawExtension': jsonText,
}

function nested(writer: BackwardWriter, field: number, value: Json, write: Parameters<SpecialWriter>[2]): void {
  const start = writer.length
  write(writer, schema, value)
  writer.lengthTag(field, start)
}

function text(writer: BackwardWriter, field: number, value: string): void {
  const start = writer.length
  writer.text(value)
  writer.lengthTag(field, start)
}

function number(writer: BackwardWriter, field: number, value: number | bigint): void {
  writer.varint(value)
  writer.numberTag(field)
}

/** The empty value has no bytes. */
function jsonText(writer: BackwardWriter, value: Json | undefined): void {
  if (value !== undefined && value !== null) text(writer, 1, JSON.stringify(value))
}

/** Seconds and nanoseconds since 1970. An unset time has no bytes. */
function time(writer: BackwardWriter, value: Json | undefined): void {
  if (typeof value !== 'string') return
  const [, fraction = ''] = /\.(\d+)/.exec(value) ?? []
  number(writer, 2, Number(fraction.slice(0, 9).padEnd(9, '0')))
  number(writer, 1, Math.floor(Date.parse(value) / 1_000))
}
