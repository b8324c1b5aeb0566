import type { Json, JsonObject } from '@wherry/cel/internal'
import { type Field, fieldsByNumber, isListMessage } from '../fields.ts'

/** How many levels of objects in objects are made. */
const deepest = 6

/** A random object of the fields of a message, the same for the same seed. Half of the fields are there. */
export function objectOfMessage(message: string, seed: number): JsonObject {
  return ofFields(message, randomOf(seed), 0)
}

/** Numbers from 0 to below 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Random = () => number

function ofFields(message: string, random: Random, depth: number): JsonObject {
  const object: JsonObject = {}
  for (const field of fieldsByNumber(message).values()) {
    if (depth > deepest || random() < 0.5 + depth * 0.08) continue
    if (field.name === '') Object.assign(object, ofFields(field.type, random, depth + 1))
    else object[field.name] = ofField(field, random, depth)
  }
  return object
}

function ofField({ around, type }: Field, random: Random, depth: number): Json {
  if (around === '[]') return many(random).map(() => ofType(type, random, depth))
  if (around === '{}') return Object.fromEntries(many(random).map(() => [text(random), ofType(type, random, depth)]))
  return ofType(type, random, depth)
}

function many(random: Random): number[] {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, (_, i) => i)
}

function text(random: Random): string {
  const letters = 'aé\u{1f600}\uff01z-/"\u0001'
  return Array.from({ length: 1 + Math.floor(random() * 6) }, () => [...letters][Math.floor(random() * 9)]).join('')
}

function whole(random: Random): number {
  return Math.floor((random() - 0.5) * 2 ** (1 + Math.floor(random() * 50))) || 1
}

function instant(random: Random): string {
  return new Date(Math.floor(random() * 4e9) * 1_000 + 1_000).toISOString().slice(0, -5)
}

function ofType(type: string, random: Random, depth: number): Json {
  switch (type) {
    case 's':
      return text(random)
    case 'b':
      return Buffer.from(text(random)).toString('base64')
    case 't':
      return true
    case 'i':
      return whole(random)
    case 'd':
      return whole(random) / 8
    case 'meta.v1.Time':
      return `${instant(random)}Z`
    case 'meta.v1.MicroTime':
      return `${instant(random)}.${String(Math.floor(random() * 1e6)).padStart(6, '0')}Z`
    case 'resource.Quantity':
      return `${Math.floor(random() * 100) + 1}Mi`
    case 'intstr.IntOrString':
      return random() < 0.5 ? whole(random) : text(random)
    case 'apiextensions.v1.JSON':
    case 'meta.v1.FieldsV1':
    case 'runtime.RawExtension':
      return { [text(random)]: [text(random), whole(random), true] }
    case 'apiextensions.v1.JSONSchemaPropsOrArray':
    case 'apiextensions.v1.JSONSchemaPropsOrBool':
      return { title: text(random) }
    case 'apiextensions.v1.JSONSchemaPropsOrStringArray':
      return random() < 0.5 ? { title: text(random) } : [text(random)]
    default:
      if (isListMessage(type)) return many(random).map(() => text(random))
      return ofFields(type, random, depth + 1)
  }
}
