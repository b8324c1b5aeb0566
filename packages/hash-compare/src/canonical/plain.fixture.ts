import fc from 'fast-check'

/** RFC 8785 in the shortest way, which differs from that of the code under test: whole strings, and code units compared one by one. */
export function simplyCanonical(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(simplyCanonical).join(',')}]`
  const members = Object.entries(value).filter(([, held]) => held !== undefined)
  members.sort(([a], [b]) => byCodeUnits(a, b))
  return `{${members.map(([key, held]) => `${JSON.stringify(key)}:${simplyCanonical(held)}`).join(',')}}`
}

function byCodeUnits(a: string, b: string): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return a.charCodeAt(i) - b.charCodeAt(i)
  }
  return a.length - b.length
}

/** Strings around the lengths at which the writer changes its way, of characters of every length, some of them escaped. */
const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a', '\u0001', 'é', '€', '😀', '"', '\\'),
        fc.constantFrom(40, 47, 48, 49, 4094, 4095, 4096, 4097),
      )
      .map(([character, length]) => `-${character.repeat(length)}`),
  },
)

const key = fc.oneof(
  text,
  fc.constantFrom('__proto__', 'constructor', 'toJSON', 'length', '10', '9', '1e3', '', 'ﬀ', '😀'),
)

const number = fc
  .oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, -0, 1e-7, 5e-324))
  .filter(each => Number.isSafeInteger(each) || !Number.isInteger(each))

const leaf = fc.oneof(text, number, fc.boolean(), fc.constant(null))

/** Plain JSON values, as `JSON.parse` makes them. */
export const json: fc.Arbitrary<unknown> = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map(Object.fromEntries),
    fc
      .array(fc.tuple(fc.string({ unit: 'binary', maxLength: 3 }), leaf), { minLength: 30, maxLength: 40 })
      .map(Object.fromEntries),
  ),
})).value

/** The same value, with the members of each object in another order. */
export function reordered(value: unknown, random: () => number): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(each => reordered(each, random))
  const members = Object.entries(value).map(([name, held]) => [name, reordered(held, random), random()] as const)
  return Object.fromEntries(members.sort((a, b) => a[2] - b[2]).map(([name, held]) => [name, held]))
}
