import type { Scalar } from 'yaml'
import { type Plain, plainValue } from './plain.ts'
import { YamlError } from './yaml-error.ts'

const standard = 'tag:yaml.org,2002:'

/** The value of a scalar with its tag, by Go's rules. Throws a {@link YamlError} if the tag does not fit. */
export function scalarValue({ tag, type, value }: Scalar): Plain {
  const text = `${value}`
  if (tag === undefined) return type === 'PLAIN' ? plainValue(text) : text
  if (!tag.startsWith(standard)) return text
  const found = plainValue(text)
  const name = tag.slice(standard.length)
  if (name === 'binary') return decoded(text)
  if (name === 'int' && typeof found === 'bigint') return found
  if (name === 'float' && (typeof found === 'bigint' || typeof found === 'number')) return Number(found)
  if (name === 'bool' && typeof found === 'boolean') return found
  if (name === 'null' && found === null) return found
  if (['int', 'float', 'bool', 'null'].includes(name))
    throw new YamlError(`${JSON.stringify(text.slice(0, 40))} is no !!${name}`)
  return text
}

function decoded(text: string): string {
  const packed = text.replace(/[\r\n]/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(packed) || packed.length % 4 !== 0)
    throw new YamlError(`${JSON.stringify(text.slice(0, 40))} is no !!binary`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(packed, 'base64'))
  } catch {
    throw new YamlError('a !!binary has bytes that are no text, which JSON has no place for')
  }
}

/** The text that a value has as the key of a JSON object. */
export function keyText(value: Plain): string {
  if (value === null) throw new YamlError('a key is empty: give it a name')
  return typeof value === 'number' ? shortFloat(value) : `${value}`
}

/** Go writes a key that is a fraction with as many digits as 32 bits hold. */
function shortFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan'
  const rounded = Math.fround(value)
  if (!Number.isFinite(rounded)) return rounded > 0 ? '.inf' : '-.inf'
  if (rounded === 0) return Object.is(rounded, -0) ? '-0' : '0'
  let digits = 0
  while (Math.fround(Number(rounded.toExponential(digits))) !== rounded) digits += 1
  const [mantissa = '', exponent = ''] = rounded.toExponential(digits).split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return `${Number(`${mantissa}e${power}`)}`
  return `${mantissa}e${power < 0 ? '-' : '+'}${`${Math.abs(power)}`.padStart(2, '0')}`
}
