import { readJson } from '@wherry/testing/testkit/read-json'
import fc from 'fast-check'

/** Cuts `bytes` into chunks at arbitrary places, in the midst of characters too; some chunks are empty. */
export function chunked(bytes: Uint8Array): fc.Arbitrary<Uint8Array[]> {
  const byPlaces = fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 }).map(places => {
    const sorted = [0, ...places.sort((a, b) => a - b), bytes.length]
    return sorted.slice(1).map((place, i) => bytes.slice(sorted[i], place))
  })
  const bySize = fc.integer({ min: 1, max: 9 }).map(size => pieces(bytes, size))
  return fc.oneof(byPlaces, bySize)
}

/** `bytes` in pieces of `size`; the last piece may be shorter. */
export function pieces(bytes: Uint8Array, size: number): Uint8Array[] {
  const result: Uint8Array[] = []
  for (let i = 0; i < bytes.length; i += size) result.push(bytes.slice(i, i + size))
  return result
}

/** Gives a chunk as a transport may: its memory is something else's afterwards. */
export function lend(chunk: Uint8Array | string, to: (chunk: Uint8Array) => void): void {
  const lent = Buffer.from(chunk)
  to(lent)
  lent.fill('~')
}

const hostile = [
  '},{"metadata":',
  '},{"apiVersion":',
  '"}],"items":[{',
  '\\"',
  '\\',
  '"items":null',
  '}]}',
  'ü€𝄞',
  '\u2028',
  '\r\n',
  '\u0000',
  '__proto__',
]

/** Strings with text that could mislead a cutter. */
export const hostileString: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.array(fc.constantFrom(...hostile), { maxLength: 4 }).map(parts => parts.join('')),
)

const key = fc.oneof(
  fc.constantFrom('metadata', 'items', 'apiVersion', 'kind', 'data', '__proto__', 'constructor', ''),
  hostileString,
)

/** Numbers without integers beyond 2^53 − 1, which other tests cover. */
const double = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter(number => !Number.isInteger(number) || Number.isSafeInteger(number))

const { value } = fc.letrec<{ value: unknown; object: unknown }>(tie => ({
  object: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 4 })
    .map(entries => readJson(`{${entries.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join(',')}}`)),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), double, hostileString),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.record({ metadata: tie('value') }), { maxLength: 3 }),
    tie('object'),
  ),
}))

/** Any JSON value. */
export const anyJson: fc.Arbitrary<unknown> = value

/** An item of a list: mostly alike, as a server's are, with nested arrays that look like lists of items. */
export const anyItem: fc.Arbitrary<object> = fc.oneof(
  fc.record({ metadata: fc.record({ name: hostileString }), data: value }),
  fc.record({ apiVersion: fc.constant('v1'), kind: fc.constant('Game'), metadata: value, spec: value }),
  fc.dictionary(key, value, { maxKeys: 3 }),
)
