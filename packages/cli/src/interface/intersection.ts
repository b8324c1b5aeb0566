import { isDeepStrictEqual } from 'node:util'
import {
  type BaseType,
  type Definition,
  IntersectionType,
  IntersectionTypeFormatter,
  type TypeFormatter,
} from 'ts-json-schema-generator'

/** Writes `A & B`. A field of both types keeps the limits of both. The generator's own formatter keeps only the limits of the first. */
export class LimitedIntersectionFormatter extends IntersectionTypeFormatter {
  readonly #inner: TypeFormatter

  constructor(inner: TypeFormatter) {
    super(inner)
    this.#inner = inner
  }

  override supportsType(type: BaseType): boolean {
    return type instanceof IntersectionType
  }

  override getDefinition(type: IntersectionType): Definition {
    const whole = super.getDefinition(type)
    const { properties } = whole
    if (properties === undefined) return whole
    const parts = type.getTypes().map(one => this.#inner.getDefinition(one).properties ?? {})
    const merged = Object.keys(properties).map(name => {
      const fields = parts.flatMap(part => (Object.hasOwn(part, name) ? [part[name]] : []))
      const different = fields.filter((one, at) => fields.findIndex(other => isDeepStrictEqual(one, other)) === at)
      return [name, different.length < 2 ? properties[name] : { allOf: different }]
    })
    return { ...whole, properties: Object.fromEntries(merged) }
  }
}
