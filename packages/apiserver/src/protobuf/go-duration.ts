const units = [
  ['h', 3_600_000_000_000n],
  ['m', 60_000_000_000n],
] as const

/** Nanoseconds as Go prints a duration: `1h0m0.5s`, `20ms`. */
export function goDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s'
  if (nanoseconds < 0n) return `-${goDuration(-nanoseconds)}`
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 3)}µs`
  if (nanoseconds < 1_000_000_000n) return `${decimal(nanoseconds, 6)}ms`
  let rest = nanoseconds
  let text = ''
  for (const [unit, size] of units) {
    if (nanoseconds < size) continue
    text += `${rest / size}${unit}`
    rest %= size
  }
  return `${text}${decimal(rest, 9)}s`
}

/** `value` divided by ten to `digits`, without zeros at its end. */
function decimal(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, '')
}
