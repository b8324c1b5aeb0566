import type { JSONSchemaProps } from '@wherry/client/resources/apiextensions'

/** A source of numbers from 0 to below 1, the same ones for the same seed. */
export function numbersOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    // Mulberry32, by Tommy Ettinger: in the public domain.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const words = ['', 'a', 'chess', 'Go', '0', '17', '-3.5', 'true', 'a b', 'a/b.c', 'ü', '10m', '2Gi', '{}']
const dates = ['2026-01-02T03:04:05Z', '1999-12-31T23:59:59Z']
const deepest = 12

/**
 * A random value of a structural schema. The value follows types, enums, required fields, the bounds of numbers, the lengths of texts and lists, and the keys
 * of lists. It may break patterns, formats, CEL rules, and combinations of schemas such as `anyOf`, because a stored value may have been valid under an older schema.
 */
export function randomValue(schema: JSONSchemaProps, random: () => number, depth = 0): unknown {
  const below = (end: number): number => Math.floor(random() * end)
  const one = <T>(values: readonly T[]): T => values[below(values.length)] as T
  const within = (sub: JSONSchemaProps): unknown => randomValue(sub, random, depth + 1)
  if (schema.nullable === true && random() < 0.1) return null
  if (schema.enum !== undefined && schema.enum.length > 0) return one(schema.enum as readonly unknown[])
  if (schema['x-kubernetes-int-or-string'] === true)
    return random() < 0.5 ? number({ ...schema, type: 'integer' }, random) : one(words)
  switch (schema.type) {
    case 'boolean':
      return random() < 0.5
    case 'integer':
    case 'number':
      return number(schema, random)
    case 'string':
      return text(schema, one)
    case 'array': {
      const { minItems = 0, maxItems = minItems + 3 } = schema
      const items = schema.items as JSONSchemaProps | undefined
      const length = minItems + below(Math.min(maxItems, minItems + 3) - minItems + 1)
      if (items === undefined || depth > deepest) return []
      return unique(
        Array.from({ length }, () => within(items)),
        schema,
      )
    }
    default:
      return object(schema, random, within, depth)
  }
}

/** The values of a list without repetitions, which the API server refuses: of equal values in a set, and of equal keys in a map. */
function unique(values: readonly unknown[], schema: JSONSchemaProps): unknown[] {
  const type = schema['x-kubernetes-list-type']
  if (type !== 'set' && type !== 'map') return [...values]
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const keyOf = (value: unknown): string =>
    JSON.stringify(type === 'set' ? value : keys.map(key => (value as Record<string, unknown> | null)?.[key] ?? null))
  return [...new Map(values.map(value => [keyOf(value), value])).values()]
}

function object(
  schema: JSONSchemaProps,
  random: () => number,
  within: (sub: JSONSchemaProps) => unknown,
  depth: number,
): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  const made: Record<string, unknown> = {}
  // `__proto__` is a property as any other.
  const set = (name: string, value: unknown): void => {
    Object.defineProperty(made, name, { value, configurable: true, enumerable: true, writable: true })
  }
  for (const [name, sub] of Object.entries(properties as Readonly<Record<string, JSONSchemaProps>>))
    if (required.includes(name) || (depth <= deepest && random() < 0.7)) set(name, within(sub))
  const ofAny = typeof additionalProperties === 'object' ? (additionalProperties as JSONSchemaProps) : undefined
  if (ofAny !== undefined && depth <= deepest)
    for (const name of ['one', 'two.example.com/x', '3']) if (random() < 0.4) set(name, within(ofAny))
  if (schema['x-kubernetes-preserve-unknown-fields'] === true && random() < 0.7)
    made.unknown = { some: [Math.floor(random() * 10), 'thing'] }
  return made
}

function number({ type, minimum, maximum, multipleOf, ...schema }: JSONSchemaProps, random: () => number): number {
  const low = minimum ?? (maximum === undefined ? -5 : maximum - 100)
  const high = maximum ?? low + 100
  const [isAbove, isBelow] = [schema.exclusiveMinimum === true, schema.exclusiveMaximum === true]
  const isEdge = random() < 0.2
  const part = isEdge ? (random() < 0.5 ? 0 : 1) : random()
  if (type !== 'integer' && multipleOf === undefined) {
    const inside = (part === 0 && isAbove) || (part === 1 && isBelow) ? 0.5 : part
    return low + inside * (high - low)
  }
  // An integer that is a multiple of a fraction is drawn from the integers.
  const step = multipleOf === undefined || (type === 'integer' && !Number.isInteger(multipleOf)) ? 1 : multipleOf
  const first = isAbove ? Math.floor(low / step) + 1 : Math.ceil(low / step)
  const last = isBelow ? Math.ceil(high / step) - 1 : Math.floor(high / step)
  // `+ 0`: JSON has no -0.
  return Math.min(last, first + Math.floor(part * (last - first + 1))) * step + 0
}

function text(
  { format, minLength = 0, maxLength, pattern }: JSONSchemaProps,
  one: <T>(values: readonly T[]) => T,
): string {
  if (format === 'date-time') return one(dates)
  const fitting = words.filter(
    word => word.length >= minLength && (maxLength === undefined || word.length <= maxLength),
  )
  const matching = pattern === undefined ? fitting : fitting.filter(word => matches(pattern, word))
  if (matching.length > 0) return one(matching)
  return fitting.length > 0 ? one(fitting) : 'a'.repeat(minLength)
}

/** Whether a word matches a pattern. A pattern that JavaScript can't parse counts as matched, because patterns are regular expressions of Go. */
function matches(pattern: string, word: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(word)
  } catch {
    return true
  }
}
