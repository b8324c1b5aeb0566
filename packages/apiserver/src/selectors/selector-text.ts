import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '@wherry/cel/internal'

/** A LabelSelector in the form of a query; `''` if it selects everything or nothing. */
export function selectorText(selector: JsonObject | undefined): string {
  const equal = Object.entries(objectAt(selector, 'matchLabels') ?? {}).map(
    ([key, value]) => [key, `${key}=${value as string}`] as const,
  )
  const others = objectsAt(selector, 'matchExpressions').map(
    one => [stringAt(one, 'key') ?? '', requirement(one)] as const,
  )
  return [...equal, ...others]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(',')
}

function requirement(one: JsonObject): string {
  const [key, operator] = [stringAt(one, 'key') ?? '', stringAt(one, 'operator')]
  if (operator === 'Exists') return key
  if (operator === 'DoesNotExist') return `!${key}`
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${stringsAt(one, 'values').sort().join(',')})`
}
