import type { Json } from '@wherry/cel/internal'

/** The maximum number of findings, after which a decoder stops. */
const most = 100

/** The paths of fields that occur twice in an object of a valid JSON text, in order: `spec.a`. `parsed`: the text's value, if the caller has it. */
export function duplicateFields(text: string, parsed?: Json): string[] {
  // If printing the value results in the same text, each field occurs once. Most texts pass this fast check.
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
