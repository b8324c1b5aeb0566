import { isObject, isRawNumber, type Json, type JsonObject, own } from './json/json.ts'
import { isInt64 } from './structural/go-text.ts'
import { CelError, List, Mapping, type Value } from './values.ts'

/**
 * A value without a known schema, as policies see objects. The values in a map are made at their first read. `typed`: whether the object has a built-in type,
 * so that comparing its lists and maps with values of other types is an error.
 */
export function dynamicValue(json: Json | undefined, typed: boolean): Value {
  if (json === undefined || json === null) return null
  if (isRawNumber(json)) return isInt64(json.rawJSON) ? BigInt(json.rawJSON) : Number(json.rawJSON)
  if (typeof json === 'number') return Number.isInteger(json) && isInt64(BigInt(json)) ? BigInt(json) : json
  if (Array.isArray(json)) {
    return new List(
      (json as Json[]).map(item => dynamicValue(item, typed)),
      undefined,
      typed,
    )
  }
  return isObject(json) ? new DynamicMap(json, typed) : (json as string | boolean)
}

class DynamicMap extends Mapping {
  readonly #json: JsonObject
  readonly #typed: boolean
  readonly #made = new Map<string, Value | undefined>()

  constructor(json: JsonObject, typed: boolean) {
    super()
    this.#json = json
    this.#typed = typed
  }

  override get strict(): boolean {
    return this.#typed
  }

  get size(): number {
    return this.keys().length
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') throw new CelError('no such overload')
    if (!this.#made.has(key)) {
      const json = own(this.#json, key)
      this.#made.set(key, json === undefined ? undefined : dynamicValue(json, this.#typed))
    }
    return this.#made.get(key)
  }

  keys(): readonly string[] {
    return Object.keys(this.#json).filter(key => this.#json[key] !== undefined)
  }
}
