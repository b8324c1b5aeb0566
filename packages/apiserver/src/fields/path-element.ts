import { isObject, type Json, type JsonObject, own, parseJson } from '@wherry/cel/internal'

/** The path element for a field, by its name. */
export function fieldElement(name: string): string {
  return `f:${name}`
}

/** The path element for an item of a list that is a set. */
export function valueElement(value: Json): string {
  return `v:${JSON.stringify(value)}`
}

/** The path element for an item of a list that is a map, by its key fields. */
export function keyElement(key: JsonObject): string {
  const names = Object.keys(key)
  if (names.length > 1) names.sort()
  return `k:{${names.map(name => `${JSON.stringify(name)}:${JSON.stringify(own(key, name))}`).join(',')}}`
}

/** The canonical form of an element; `''` for an unknown kind of element; `undefined` if the text is no element. */
export function canonicalElement(text: string): string | undefined {
  if (text[1] !== ':') return undefined
  const kind = text[0]
  if (kind === 'f') return text
  if (kind === 'i') return /^-?\d+$/.test(text.slice(2)) ? `i:${Number(text.slice(2))}` : undefined
  if (kind !== 'k' && kind !== 'v') return ''
  let value: Json
  try {
    value = parseJson(text.slice(2))
  } catch {
    return undefined
  }
  if (kind === 'v') return valueElement(value)
  return isObject(value) ? keyElement(value) : undefined
}

/** A path as refusals print it: `.spec.ports[port=80,protocol="TCP"]`, `.metadata.finalizers[="a"]`. */
export function pathText(elements: readonly string[]): string {
  return elements.map(elementText).join('')
}

/** An element as refusals print it. */
export function elementText(element: string): string {
  const rest = element.slice(2)
  if (element[0] === 'f') return `.${rest}`
  if (element[0] === 'i') return `[${rest}]`
  const value = parseJson(rest)
  if (element[0] === 'v') return `[=${JSON.stringify(value)}]`
  const key = value as JsonObject
  return `[${Object.keys(key)
    .map(name => `${name}=${JSON.stringify(own(key, name))}`)
    .join(',')}]`
}
