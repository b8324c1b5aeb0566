import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'

/**
 * A definition as rule K2 compares it: with what the server itself fills in, with sorted lists of required fields, without empty subresources and without the status.
 */
export function comparable({ metadata, spec }: CustomResourceDefinition): object {
  const { name, annotations, labels } = metadata ?? {}
  const names = { listKind: `${spec.names.kind}List`, singular: spec.names.kind.toLowerCase(), ...spec.names }
  const versions = spec.versions.map(version => {
    const schema = version.schema?.openAPIV3Schema ?? {}
    const common = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } }
    const { subresources = {}, ...others } = version
    const own = Object.keys(subresources).length > 0 && { subresources }
    return {
      ...others,
      ...own,
      schema: { openAPIV3Schema: { ...schema, properties: { ...common, ...schema.properties } } },
    }
  })
  return sortedNames({ name, annotations, labels, spec: { ...spec, names, versions } }) as object
}

/** A JSON value with its lists of required fields sorted: their order has no meaning. */
function sortedNames(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, part) =>
    key === 'required' && Array.isArray(part) ? part.toSorted() : part,
  )
}
