import { isObject, type Json, type JsonObject, list, objectAt, own, sameJson, unservedIn } from '@wherry/cel/internal'
import type { StatusCause } from '../status.ts'
import { checkStructural } from './check.ts'

/** The schema of a version of a definition. */
export function schemaOf(version: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(version, 'schema'), 'openAPIV3Schema')
}

function versionsIn(definition: JsonObject | undefined): readonly Json[] {
  return list(objectAt(definition, 'spec') ?? {}, 'versions')
}

/** The problems of a definition's schemas; none if the schemas are unchanged. If all versions have the same schema, the causes name no version. */
export function schemaProblems(definition: JsonObject, old: JsonObject | undefined): StatusCause[] {
  if (sameJson(versionsIn(definition), versionsIn(old))) return []
  const versions = versionsIn(definition).map(version => (isObject(version) ? version : {}))
  const hasStatus = (version: JsonObject): boolean =>
    own(objectAt(version, 'subresources') ?? {}, 'status') !== undefined
  const first = versions[0]
  const schema = first === undefined ? undefined : schemaOf(first)
  if (schema !== undefined && versions.every(version => sameJson(schemaOf(version), schema))) {
    return checkStructural(schema, 'spec.validation.openAPIV3Schema', versions.some(hasStatus))
  }
  return versions.flatMap((version, i) => {
    const one = schemaOf(version)
    const path = `spec.versions[${i}].schema.openAPIV3Schema`
    return one === undefined ? [] : checkStructural(one, path, hasStatus(version))
  })
}

/** An API server's refusals of the schemas of a CustomResourceDefinition, in its words. They include rules that do not compile or cost too much. */
export function refusalsOfSchemas(definition: object): readonly { readonly field: string; readonly message: string }[] {
  // Other values than JSON, such as undefined fields, would not reach a server either.
  const sent = JSON.parse(JSON.stringify(definition)) as JsonObject
  return schemaProblems(sent, undefined).map(({ field = '', message = '' }) => ({ field, message }))
}

/** A feature of a definition's schemas that this server does not check; `undefined` if there is none. */
export function unservedSchema(definition: JsonObject): string | undefined {
  for (const version of versionsIn(definition)) {
    const schema = isObject(version) ? schemaOf(version) : undefined
    const what = schema === undefined ? undefined : unservedIn(schema)
    if (what !== undefined) return what
  }
  return undefined
}
