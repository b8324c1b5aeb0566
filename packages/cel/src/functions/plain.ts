/** A number without an exponent. */
export function plain(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return text
  const [mantissa = '', exponent = ''] = text.split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const sign = value < 0 ? '-' : ''
  const size = Number(exponent)
  if (size < 0) return `${sign}0.${'0'.repeat(-size - 1)}${whole}${fraction}`
  return sign + whole + fraction.padEnd(size, '0')
}
