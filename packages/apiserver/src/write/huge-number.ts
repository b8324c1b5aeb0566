/** A part of a number with at least 300 digits, or with an exponent of at least three. A match within a string only costs time. */
const suspicious = /[eE]\+?\d{3}|\d{300}/

/** The strings and the numbers of a JSON text. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/** The refusal of a number beyond the range of a float as Go reads JSON into `target`; `undefined` if the valid JSON `text` has no such number. */
export function hugeNumber(text: string, target: string = 'Go value'): string | undefined {
  if (!suspicious.test(text)) return undefined
  for (const [token] of text.matchAll(tokens)) {
    const huge = !token.startsWith('"') && !Number.isFinite(Number(token))
    if (huge) return `json: cannot unmarshal number ${token} into ${target} of type float64`
  }
  return undefined
}
