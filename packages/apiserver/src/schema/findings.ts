import type { Json } from '@wherry/cel/internal'
import { goJson, goQuote, goValue } from '@wherry/cel/internal'
import type { StatusCause } from '../status.ts'

/** A problem of a field. `text` identifies a finding, which is added only once. */
export interface Finding {
  readonly text: string
  readonly cause: StatusCause
}

/** The number of findings from which their texts are kept, so that a list with many wrong items takes no quadratic time. */
const many = 16

/** The problems of a value, and the number of checks. If all alternatives fail, the one with the most checks is reported. */
export class Findings {
  readonly all: Finding[] = []
  checks = 0
  /** The texts of all findings; `undefined` while there are few. */
  #texts: Set<string> | undefined

  get none(): boolean {
    return this.all.length === 0
  }

  add(finding: Finding | undefined): void {
    if (finding === undefined || this.#has(finding)) return
    this.all.push(finding)
    this.#texts?.add(finding.text)
  }

  #has({ text }: Finding): boolean {
    if (this.#texts === undefined && this.all.length >= many) this.#texts = new Set(this.all.map(one => one.text))
    return this.#texts?.has(text) ?? this.all.some(one => one.text === text)
  }

  merge(other: Findings): void {
    for (const finding of other.all) this.add(finding)
    this.checks += other.checks
  }
}

/** Names fields in causes: the fields of a whole object, or of its part `under`, such as the status. */
export class Fields {
  readonly #under: string

  constructor(under: string) {
    this.#under = under
  }

  name(path: string): string {
    const inner = path.replace(/^\./, '')
    if (inner === '') return this.#under === '' ? '<nil>' : this.#under
    return this.#under === '' ? inner : `${this.#under}.${inner}`
  }

  required(path: string): Finding {
    return {
      text: `${path} in body is required`,
      cause: { reason: 'FieldValueRequired', message: 'Required value', field: this.name(path) },
    }
  }

  type(path: string, expected: string, found: string): Finding {
    const text = `${path} in body must be of type ${expected}: ${goQuote(found)}`
    const message = `Invalid value: ${goQuote(found)}: ${text}`
    return { text, cause: { reason: 'FieldValueTypeInvalid', message, field: this.name(path) } }
  }

  /** `what` is the rest of the sentence, such as `should match '^a'`. */
  invalid(path: string, value: Json, what: string): Finding {
    const text = `${path} in body ${what}`
    return this.#invalid(text, value, this.name(path))
  }

  forbidden(path: string, key: string): Finding {
    return this.#invalid(`${path}.${key} in body is a forbidden property`, key, this.name(path))
  }

  notPositive(path: string, factor: string): Finding {
    const text = `factor MultipleOf declared for ${path} must be positive: ${factor}`
    const message = `Invalid value: ${factor}: ${text}`
    return { text, cause: { reason: 'FieldValueInvalid', message, field: this.name(path) } }
  }

  /** A finding about the whole object, not about a field. */
  whole(text: string): Finding {
    return this.#invalid(text, '', this.name(''))
  }

  unsupported(path: string, value: Json, values: readonly Json[]): Finding {
    const supported = values.map(one => goQuote(typeof one === 'string' ? one : goJson(one))).join(', ')
    const message = `Unsupported value: ${goValue(value)}: supported values: ${supported}`
    const text = `${path} in body should be one of ${JSON.stringify(values)}`
    return { text, cause: { reason: 'FieldValueNotSupported', message, field: this.name(path) } }
  }

  tooLong(path: string, most: number): Finding {
    const text = `${path} in body should be at most ${most} chars long`
    const message = `Too long: may not be more than ${most} ${most === 1 ? 'byte' : 'bytes'}`
    return { text, cause: { reason: 'FieldValueTooLong', message, field: this.name(path) } }
  }

  tooMany(path: string, count: number, most: number, what: 'items' | 'properties'): Finding {
    const text = `${path} in body should have at most ${most} ${what}`
    const message = `Too many: ${count}: must have at most ${most} ${most === 1 ? 'item' : 'items'}`
    return { text, cause: { reason: 'FieldValueTooMany', message, field: this.name(path) } }
  }

  #invalid(text: string, value: Json, field: string): Finding {
    return { text, cause: { reason: 'FieldValueInvalid', message: `Invalid value: ${goValue(value)}: ${text}`, field } }
  }
}
