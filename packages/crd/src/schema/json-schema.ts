import type { JSONSchemaProps } from '@wherry/client/resources/apiextensions'

/** A JSON Schema that a schema library has written: draft 2020-12, draft 7 or OpenAPI 3.0. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * The schema of a CustomResourceDefinition's version: `openAPIV3Schema`.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export type StructuralSchema = JSONSchemaProps

/** Whether `value` is an object with fields, and neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The schema of a field. A name such as `constructor` is that of a field only if the schema says so. */
export function propertyOf(
  { properties }: Pick<StructuralSchema, 'properties'>,
  name: string,
): StructuralSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
}

/** Whether two JSON values are the same, whatever the order of their fields. */
export function same(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => same(item, other[at]))
  if (!isRecord(one) || !isRecord(other)) return Object.is(one, other)
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length && names.every(name => name in other && same(one[name], other[name]))
  )
}
