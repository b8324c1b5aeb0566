import type { Json } from '@wherry/cel/internal'

/** How many findings a decoder gathers before it stops. */
const most = 100

/**
 * The paths of fields that are given twice in one object of a JSON text which parses: `spec.a`, in order. `parsed`: what was made of the
 * text, if that is at hand.
 */
export function duplicateFields(text: string, parsed?: Json): string[] {
  // A text that is printed again as it was has each field once. Most texts do, and this check is fast.
  if (parsed !== undefined && JSON.stringify(parsed) === text) return []
  if (JSON.stringify(JSON.parse(text)) === text) return []
  const found = new Set<string>()
  let at = 0
  const skip = (): void => {
    while (at < text.length && ' \t\n\r'.includes(text[at] as string)) at++
  }
  const string = (): string => {
    const start = at++
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    at++
    return JSON.parse(text.slice(start, at)) as string
  }
  const value = (path: string): void => {
    skip()
    const first = text[at]
    if (first === '{') members(path)
    else if (first === '[') items(path)
    else if (first === '"') string()
    else while (at < text.length && !',]} \t\n\r'.includes(text[at] as string)) at++
    skip()
  }
  const members = (path: string): void => {
    const seen = new Set<string>()
    at++
    skip()
    while (text[at] !== '}') {
      skip()
      const key = string()
      const here = path === '' ? key : `${path}.${key}`
      if (seen.has(key) && found.size < most) found.add(here)
      seen.add(key)
      skip()
      at++
      value(here)
      if (text[at] === ',') at++
    }
    at++
  }
  const items = (path: string): void => {
    at++
    skip()
    for (let i = 0; text[at] !== ']'; i++) {
      value(`${path}[${i}]`)
      if (text[at] === ',') at++
    }
    at++
  }
  value('')
  return [...found]
}
