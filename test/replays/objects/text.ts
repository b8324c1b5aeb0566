/** `length` characters that differ for each `seed`, and that no compression makes small: base64 of pseudo-random bytes. */
export function text(length: number, seed: number): string {
  const bytes = Buffer.alloc(Math.ceil((length * 3) / 4))
  let state = (seed + 1) * 0x9e3779b1
  for (let i = 0; i < bytes.length; i++) {
    // xorshift32: the same text in each run, at once for a megabyte.
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[i] = state
  }
  return bytes.toString('base64').slice(0, length)
}

/** `count` entries `PREFIX-N` with values of some `length` characters. */
export function entries(prefix: string, count: number, length: number, seed: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `${prefix}-${i}`,
      `v${text(length - 1, seed * count + i).replace(/[+/=]/g, 'x')}`,
    ]),
  )
}

/** The names of `count` namespaces. */
export function namespacesOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`)
}
