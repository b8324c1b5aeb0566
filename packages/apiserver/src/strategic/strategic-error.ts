import { isObject, isRawNumber, type Json, own } from '@wherry/cel/internal'

/** The reason for which a strategic merge patch can't be merged, and the status of the answer: 400, 422, or 500 for an error that the server does not classify. */
export class StrategicError extends Error {
  readonly code: 400 | 422 | 500

  constructor(code: 400 | 422 | 500, message: string) {
    super(message)
    this.code = code
  }

  static badList(of: 'primitive list' | 'retainKeys' | 'setElementOrder list'): StrategicError {
    return new StrategicError(400, `invalid patch format of ${of}`)
  }

  static noMergeKey(item: Json, key: string): StrategicError {
    return new StrategicError(500, `map: ${goPlain(item)} does not contain declared merge key: ${key}`)
  }

  static unknownDirective(directive: Json, item: Json): StrategicError {
    return new StrategicError(500, `unknown patch type: ${goPlain(directive)} in map: ${goPlain(item)}`)
  }
}

/** A value in the form of Go's `%v`. */
export function goPlain(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>'
  if (isRawNumber(value)) return value.rawJSON
  if (Array.isArray(value)) return `[${value.map(item => goPlain(item as Json)).join(' ')}]`
  if (!isObject(value)) return String(value)
  const names = Object.keys(value).sort()
  return `map[${names.map(name => `${name}:${goPlain(own(value, name))}`).join(' ')}]`
}
