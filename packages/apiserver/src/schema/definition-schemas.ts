import { isObject, type Json, type JsonObject, list, objectAt, own, sameJson, unservedIn } from '@wherry/cel/internal'
import type { StatusCause } from '../status.ts'
import { checkStructural } from './check.ts'

/** The schema of one version, as a definition has it. */
export function schemaOf(version: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(version, 'schema'), 'openAPIV3Schema')
}

function versionsIn(definition: JsonObject | undefined): readonly Json[] {
  return list(objectAt(definition, 'spec') ?? {}, 'versions')
}

/**
 * The problems of a definition's schemas; none if they are as before. If all versions have the same
 * one, the server names no version.
 */
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

/** What an API server refuses the schemas of a CustomResourceDefinition for, in its words, rules that do not compile or cost too much included. */
export function refusalsOfSchemas(definition: object): readonly { readonly field: string; readonly message: string }[] {
  // Values that are not JSON, such as undefined fields, would not come to a server either.
  const sent = JSON.parse(JSON.stringify(definition)) as JsonObject
  return schemaProblems(sent, undefined).map(({ field = '', message = '' }) => ({ field, message }))
}

/** What a definition's schemas ask to be checked that is not checked here; `undefined`: nothing. */
export function unservedSchema(definition: JsonObject): string | undefined {
  for (const version of versionsIn(definition)) {
    const schema = isObject(version) ? schemaOf(version) : undefined
    const what = schema === undefined ? undefined : unservedIn(schema)
    if (what !== undefined) return what
  }
  return undefined
}
