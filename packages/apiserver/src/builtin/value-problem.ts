import { isInt64, isObject, isRawNumber, type Json } from '@wherry/cel/internal'
import type { FieldType } from '../fields/field-type.ts'
import { base64Problem, type DecodeError, goKind } from '../objects/decoding.ts'
import { timeProblem } from './go-time.ts'
import { checkQuantity } from './quantity.ts'

/** How a real server reads an object: `decoder` from JSON; `converter` from the maps that a strategic merge patch and an apply make. Each has its own messages. */
export type Reading = 'decoder' | 'converter'

/** The problem of one value. */
export interface Problem {
  /** A whole message. */
  readonly text?: string
  readonly got?: string
  /** The Go type that the value should have. */
  readonly of: string
  /** Whether the type reads its JSON by itself: then the decoder stops, and reports no other value. */
  readonly stops: boolean
}

/** The server's words for a problem of a value. The decoder's words contain the value's `place`: `PodSpec.spec.containers`. */
export function problemText(problem: Problem, value: Json, type: FieldType, place: string, reading: Reading): string {
  return reading === 'decoder' ? decoderText(problem, place) : converterText(problem, value, type)
}

function decoderText({ text, got, of }: Problem, place: string): string {
  return text ?? `json: cannot unmarshal ${got} into Go struct field ${place} of type ${of}`
}

function converterText({ text, got, of, stops }: Problem, value: Json, type: FieldType): string {
  if (text !== undefined) return type.reads === 'bytes' ? `error decoding from json: ${text}` : text
  if (stops) return `json: cannot unmarshal ${got} into Go value of type ${of}`
  const is = reflected(value)
  if (type.kind === 'list' || type.reads === 'bytes') return `cannot restore slice from ${is}`
  if (type.kind === 'map') return type.struct ? `cannot restore struct from: ${is}` : `cannot restore map from ${is}`
  const converts = is === 'float64' ? type.kind === 'number' : is === 'int64' && type.kind === 'string'
  if (converts) return `cannot convert ${is} to ${of}`
  return `unrecognized type: ${type.kind === 'string' ? 'string' : of}`
}

/** The name that Go's reflection has for a value that was read without a type. */
function reflected(value: Json): string {
  if (Array.isArray(value)) return 'slice'
  if (isObject(value)) return 'map'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  return Number.isInteger(value) || (isRawNumber(value) && isInt64(value.rawJSON)) ? 'int64' : 'float64'
}

/** The problem of a value itself, not of the values in it. */
export function problemOf(value: Json, type: FieldType, reading: Reading): Problem | undefined {
  if (type.reads !== undefined) return readProblem(value, type.reads)
  switch (type.kind) {
    case 'string':
      return typeof value === 'string' ? undefined : mismatch(value, type)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : mismatch(value, type)
    case 'map':
      return isObject(value) ? undefined : mismatch(value, type)
    case 'list':
      return Array.isArray(value) ? undefined : mismatch(value, type)
    case 'number':
      return numberProblem(value, type, reading)
    default:
      return undefined
  }
}

function mismatch(value: Json, type: FieldType): Problem {
  return { got: goKind(value), of: goTypeOf(type), stops: false }
}

function numberProblem(value: Json, type: FieldType, reading: Reading): Problem | undefined {
  if (typeof value !== 'number' && !isRawNumber(value)) return mismatch(value, type)
  const of = goTypeOf(type)
  if (of.startsWith('float') || isOfSize(value, of)) return undefined
  // The converter cuts off numbers that are too large.
  if (reading === 'converter' && reflected(value) === 'int64') return undefined
  return { got: `number ${textOf(value)}`, of, stops: false }
}

/** Whether a number is an integer that fits a Go type. */
function isOfSize(value: Json, goType: string): boolean {
  if (isRawNumber(value)) return goType !== 'int32' && isInt64(value.rawJSON)
  if (!Number.isInteger(value)) return false
  return goType === 'int32' ? value === ((value as number) | 0) : isInt64(BigInt(value as number).toString())
}

function textOf(value: Json): string {
  return isRawNumber(value) ? value.rawJSON : JSON.stringify(value)
}

/** The problem of a value of a type that reads its JSON by itself. */
function readProblem(value: Json, reads: NonNullable<FieldType['reads']>): Problem | undefined {
  switch (reads) {
    case 'bytes': {
      // Bytes may also be a list of numbers.
      if (Array.isArray(value)) {
        const bad = value.find(item => item !== null && !isByte(item as Json)) as Json | undefined
        if (bad === undefined) return undefined
        const got = typeof bad === 'number' ? `number ${textOf(bad)}` : goKind(bad)
        return { got, of: 'uint8', stops: false }
      }
      if (typeof value !== 'string') return { got: goKind(value), of: '[]uint8', stops: false }
      const text = base64Problem(value)
      return text === undefined ? undefined : { text, of: '[]uint8', stops: false }
    }
    case 'quantity': {
      const text = quantityProblem(typeof value === 'string' ? value.trim() : textOf(value))
      return text === undefined ? undefined : { text, of: 'resource.Quantity', stops: true }
    }
    case 'intOrString': {
      if (typeof value === 'string' || isOfSize(value, 'int32')) return undefined
      const isNumber = typeof value === 'number' || isRawNumber(value)
      return { got: isNumber ? `number ${textOf(value)}` : goKind(value), of: 'int32', stops: true }
    }
    default: {
      if (typeof value !== 'string') return { got: goKind(value), of: 'string', stops: true }
      const text = timeProblem(value, reads === 'microTime')
      return text === undefined ? undefined : { text, of: 'string', stops: true }
    }
  }
}

function isByte(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256
}

function quantityProblem(text: string): string | undefined {
  try {
    checkQuantity(text)
    return undefined
  } catch (error) {
    return (error as DecodeError).message
  }
}

/** Go's name of a type. */
function goTypeOf(type: FieldType): string {
  if (type.goType !== '') return type.goType
  if (type.items !== undefined) return `[]${goTypeOf(type.items)}`
  if (type.struct) return type.name.split('.').slice(-2).join('.')
  if (type.others !== undefined) return `map[string]${goTypeOf(type.others)}`
  if (type.reads === 'bytes') return '[]uint8'
  return type.kind === 'boolean' ? 'bool' : type.kind === 'number' ? 'int32' : 'string'
}
