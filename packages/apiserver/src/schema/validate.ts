import type { Schema } from '@wherry/cel/internal'
import {
  type Correlation,
  fieldOf,
  goQuote,
  hasFormat,
  isObject,
  isRawNumber,
  itemOf,
  type Json,
  type JsonObject,
  knownFormats,
  own,
  sameJson,
  unchanged,
} from '@wherry/cel/internal'
import type { StatusCause } from '../status.ts'
import { Fields, Findings } from './findings.ts'
import { checkNumber, isInteger, passesForInteger } from './numbers.ts'

/**
 * The server's objections to `value`, in its words; empty if there are none. With `old`, problems of unchanged values are ignored. `under`: the path of the
 * value, if it is not a whole object (`status`).
 */
export function validate(schema: Schema, value: Json, old?: Json | undefined, under: string = ''): StatusCause[] {
  const validator = new Validator(new Fields(under))
  const findings = validator.ratcheted(schema, value, '', old === undefined ? undefined : { schema, value, old })
  return findings.all.map(({ cause }) => cause)
}

/** The server's name of a value's type. */
function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number' || isRawNumber(value)) return isInteger(value) ? 'integer' : 'number'
  return isObject(value) ? 'object' : typeof value
}

const goFormats: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' }

/** Checks values in the order of the server, because the order decides which failed alternative is reported. */
class Validator {
  readonly #fields: Fields

  constructor(fields: Fields) {
    this.#fields = fields
  }

  /** Checks `value`. Has no findings if the value is unchanged. */
  ratcheted(schema: Schema, value: Json, path: string, was: Correlation | undefined): Findings {
    const findings = this.#node(schema, value, path, was)
    if (findings.none || was === undefined || !unchanged(was)) return findings
    const none = new Findings()
    none.checks = findings.checks
    return none
  }

  #node(schema: Schema, value: Json, path: string, was: Correlation | undefined): Findings {
    const findings = new Findings()
    const done = (checked: Findings): void => {
      findings.merge(checked)
      findings.checks++
    }
    if (value === null) {
      if (schema.types.length > 0 || schema.format !== '') findings.merge(this.#type(schema, value, path))
      else findings.checks++
      findings.merge(this.#enum(schema, value, path))
      return findings
    }
    if (schema.types.length > 0 || schema.format !== '') done(this.#type(schema, value, path))
    done(this.#combined(schema, value, path, was))
    if (typeof value === 'string') {
      done(this.#string(schema, value, path))
      if (knownFormats.has(schema.format.replaceAll('-', ''))) done(this.#format(schema, value, path))
    }
    if (typeof value === 'number' || isRawNumber(value)) done(checkNumber(schema, value, path, this.#fields))
    if (Array.isArray(value)) done(this.#list(schema, value as Json[], path, was))
    done(this.#enum(schema, value, path))
    if (isObject(value)) done(this.#object(schema, value, path, was))
    findings.checks++
    return findings
  }

  #type({ types, nullable, format }: Schema, value: Json, path: string): Findings {
    const findings = new Findings()
    const type = typeOf(value)
    const wrong = (expected: string, found: string): Findings => {
      findings.add(this.#fields.type(path, expected, found))
      return findings
    }
    if (value === null) {
      if (types.length > 0 && !nullable) return wrong(types.join(','), 'null')
      findings.checks++
      return findings
    }
    findings.checks++
    const float = isRawNumber(value) ? Number(value.rawJSON) : value
    const passes =
      types.includes(type) ||
      (type === 'number' && types.includes('integer') && passesForInteger(float as number)) ||
      (type === 'integer' && types.includes('number'))
    const texts = type === 'string' || type === 'array'
    if (!texts && format !== '' && !passes) {
      findings.checks = 0
      return wrong(format, goFormats[type] ?? '')
    }
    const numeric = types.includes('number') || types.includes('integer')
    if (passes || (!numeric && format !== '' && texts)) return findings
    findings.checks = 0
    return wrong(types.join(','), type)
  }

  #combined(schema: Schema, value: Json, path: string, was: Correlation | undefined): Findings {
    const findings = new Findings()
    const { anyOf, oneOf, allOf, not } = schema
    const report = (text: string): void => findings.add(this.#fields.whole(`${goQuote(path)} ${text}`))
    if (anyOf.length > 0) {
      const { first, best } = this.#alternatives(anyOf, value, path, was, true)
      if (first === undefined) report('must validate at least one schema (anyOf)')
      findings.merge(first ?? best)
    }
    if (oneOf.length > 0) {
      const { first, best, valid } = this.#alternatives(oneOf, value, path, was, false)
      if (valid === 1 && first !== undefined) findings.merge(first)
      else {
        const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
        report(`must validate one and only one schema (oneOf). ${found}`)
        if (valid === 0) findings.merge(best)
      }
    }
    if (allOf.length > 0) {
      const results = allOf.map(one => this.#node(one, value, path, was))
      for (const result of results) findings.merge(result)
      const valid = results.filter(result => result.none).length
      if (valid < allOf.length) report(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`)
    }
    if (not !== undefined && this.#node(not, value, path, was).none) report('must not validate the schema (not)')
    findings.checks++
    return findings
  }

  /**
   * Checks a value by each schema. Returns the findings of the first schema that accepts it, the number of schemas that accept it, and the findings of the
   * failed schema with the most checks.
   */
  #alternatives(
    schemas: readonly Schema[],
    value: Json,
    path: string,
    was: Correlation | undefined,
    stop: boolean,
  ): { first: Findings | undefined; best: Findings; valid: number } {
    let first: Findings | undefined
    let best: Findings | undefined
    let valid = 0
    for (const schema of schemas) {
      const result = this.#node(schema, value, path, was)
      if (result.none) {
        valid++
        first ??= result
        if (stop) break
      } else if (best === undefined || result.checks > best.checks) best = result
    }
    return { first, best: best ?? new Findings(), valid }
  }

  #string({ maxLength, minLength, pattern }: Schema, value: string, path: string): Findings {
    const findings = new Findings()
    const length = [...value].length
    if (maxLength !== undefined && length > maxLength) findings.add(this.#fields.tooLong(path, maxLength))
    else if (minLength !== undefined && length < minLength) {
      findings.add(this.#fields.invalid(path, value, `should be at least ${minLength} chars long`))
    } else if (pattern !== undefined && !pattern.regExp.test(value)) {
      findings.add(this.#fields.invalid(path, value, `should match '${pattern.source}'`))
    }
    return findings
  }

  #format({ format }: Schema, value: string, path: string): Findings {
    const findings = new Findings()
    if (!hasFormat(value, format)) findings.add(this.#fields.type(path, format, value))
    return findings
  }

  #list(schema: Schema, value: readonly Json[], path: string, was: Correlation | undefined): Findings {
    const findings = new Findings()
    const { items, minItems, maxItems } = schema
    if (items !== undefined) {
      for (const [i, item] of value.entries()) {
        findings.merge(this.ratcheted(items, item, `${path}[${i}]`, itemOf(was, i)))
      }
    }
    if (minItems !== undefined && value.length < minItems) {
      findings.add(this.#fields.invalid(path, value.length, `should have at least ${minItems} items`))
    }
    if (maxItems !== undefined && value.length > maxItems) {
      findings.add(this.#fields.tooMany(path, value.length, maxItems, 'items'))
    }
    findings.checks++
    return findings
  }

  #enum(schema: Schema, value: Json, path: string): Findings {
    const findings = new Findings()
    if (schema.enum.length === 0 || (value !== null && schema.enum.some(one => sameJson(one, value)))) return findings
    findings.add(this.#fields.unsupported(path, value, schema.enum))
    return findings
  }

  #object(schema: Schema, value: JsonObject, path: string, was: Correlation | undefined): Findings {
    const findings = new Findings()
    const { minProperties, maxProperties, properties, additional } = schema
    const keys = Object.keys(value).sort()
    if (minProperties !== undefined && keys.length < minProperties) {
      findings.add(this.#fields.invalid(path, keys.length, `should have at least ${minProperties} properties`))
    }
    if (maxProperties !== undefined && keys.length > maxProperties) {
      findings.add(this.#fields.tooMany(path, keys.length, maxProperties, 'properties'))
    }
    // The kind and apiVersion of the object itself are always checked.
    const before = (key: string): Correlation | undefined =>
      path === '' && (key === 'kind' || key === 'apiVersion') ? undefined : fieldOf(was, key)
    for (const key of keys) {
      if (properties.has(key)) continue
      if (additional === false) findings.add(this.#fields.forbidden(path, key))
      if (typeof additional !== 'object') continue
      findings.merge(this.ratcheted(additional, own(value, key) as Json, `${path}.${key}`, before(key)))
    }
    for (const [key, property] of properties) {
      const item = own(value, key)
      const at = path === '' ? key : `${path}.${key}`
      if (item !== undefined) findings.merge(this.ratcheted(property, item, at, before(key)))
    }
    for (const key of schema.required) {
      if (own(value, key) === undefined) findings.add(this.#fields.required(`${path}.${key}`))
    }
    return findings
  }
}
