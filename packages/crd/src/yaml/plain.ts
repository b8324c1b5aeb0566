/** The value of a YAML text without quotes. */
export type Plain = string | number | bigint | boolean | null

const words = new Map<string, Plain>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map(word => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map(word => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map(word => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map(word => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map(word => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map(word => [word, Number.NEGATIVE_INFINITY] as const),
])

/**
 * Parses a text without quotes as Go's YAML 1.1 does, which kubectl uses: `no` is false, `010` is 8 and `1_000` is 1000. Times and
 * numbers to the base of sixty are texts. An integer is a bigint.
 */
export function plainValue(text: string): Plain {
  const word = words.get(text)
  if (word !== undefined) return word
  if (!/^[-+.0-9]/.test(text)) return text
  // After a leading dot, Go accepts an underscore only between two digits.
  if (text.startsWith('.')) return floatOf(text.replace(/(?<=[0-9])_(?=[0-9])/g, '')) ?? text
  const digits = text.replaceAll('_', '')
  return integerOf(digits) ?? floatOf(digits) ?? text
}

function integerOf(text: string): bigint | undefined {
  const [, sign = '', prefix = '', digits = ''] =
    /^([-+]?)(0[xX](?=[0-9a-fA-F])|0[bB](?=[01])|0[oO]?(?=[0-7])|)([0-9a-fA-F]+)$/.exec(text) ?? oddBinary(text) ?? []
  const base = prefix.toLowerCase() === '0' ? '0o' : prefix.toLowerCase()
  const allowed = { '0x': /^[0-9a-fA-F]+$/, '0b': /^[01]+$/, '0o': /^[0-7]+$/, '': /^(0|[1-9][0-9]*)$/ }[base]
  if (allowed?.test(digits) !== true) return undefined
  // The conversion of a long text to a bigint takes quadratic time.
  if (digits.replace(/^0+/, '').length > 64) return undefined
  const size = BigInt(`${base}${digits}`)
  if (sign === '-') return size <= 2n ** 63n ? -size : undefined
  return size < 2n ** (sign === '+' ? 63n : 64n) ? size : undefined
}

/** Matches a binary number with its sign after the prefix, which Go accepts too. */
function oddBinary(text: string): readonly string[] | undefined {
  const [, sign, digits] = /^0b([-+])([01]+)$/.exec(text) ?? []
  return sign === undefined || digits === undefined ? undefined : [text, sign, '0b', digits]
}

function floatOf(text: string): number | undefined {
  if (!/^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/.test(text)) return undefined
  const value = Number(text)
  // Go reads a number that is too large as a text.
  return Number.isFinite(value) ? value : undefined
}
