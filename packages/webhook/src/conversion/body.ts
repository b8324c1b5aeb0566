import { isFields, pointer } from '../admission/json.ts'

/** An integer that JavaScript would write back with other digits. */
class Rounded {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** More than fifteen digits in a row, which may be an integer that JSON.parse rounds. */
const longNumber = /[[:,\s]-?\d{16}/

/**
 * Parses JSON. An integer of more than fifteen digits that JavaScript would change becomes a mark, which {@link roundedIn} finds.
 *
 * @throws SyntaxError
 */
export function parseKeeping(text: string): unknown {
  // A reviver, which is called for each value, takes several times as long.
  if (!longNumber.test(text)) return JSON.parse(text)
  type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
  const mark: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && /^-?\d{16,}$/.test(source) && `${value}` !== source
      ? new Rounded(source)
      : value
  return JSON.parse(text, mark as (key: string, value: unknown) => unknown)
}

/** The path and the digits of an integer that JSON.parse rounds; `undefined` if there is none. */
export function roundedIn(value: unknown): { readonly path: string; readonly source: string } | undefined {
  const left: [path: string, value: unknown][] = [['', value]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [path, one] = next
    if (one instanceof Rounded) return { path, source: one.source }
    if (Array.isArray(one)) for (const [at, item] of one.entries()) left.push([pointer(path, at), item])
    else if (isFields(one)) for (const key of Object.keys(one)) left.push([pointer(path, key), one[key]])
  }
  return undefined
}

/** Whether a text may have an integer that JSON.parse rounds. */
export function mayRound(text: string): boolean {
  return longNumber.test(text)
}
