import type { Json, JsonObject, RawNumber } from '@wherry/cel/internal'

// This folder is loaded only when it is needed, so from other packages it imports only types.

const native = JSON as typeof JSON & {
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

/** Whether a value is an integer beyond 2^53 − 1 with all its digits. */
export function isRawNumber(value: unknown): value is RawNumber {
  return native.isRawJSON(value)
}

/** A number of 64 bits as JSON that keeps all its digits. */
export function numberOf(value: bigint): Json {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : native.rawJSON(String(value))
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}

/** Parses JSON. Integers keep all their digits. */
export function parse(text: string): Json {
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Json
  return JSON.parse(text, function keep(this: unknown, _key: string, value: unknown, context?: { source?: string }) {
    const source = context?.source ?? ''
    return typeof value === 'number' && /^-?\d{16,}$/.test(source) ? numberOf(BigInt(source)) : value
  } as (key: string, value: unknown) => unknown) as Json
}
