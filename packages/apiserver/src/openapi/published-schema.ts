import { documents, type Fields } from './documents.ts'

/**
 * The schema of a definition as it is published. `template` has the fields that every object has (type, metadata, its kinds), which replace the definition's
 * own.
 */
export function publishedSchema(schema: Fields | undefined, template: Fields): Fields {
  const own = published(schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
  const properties = { ...fieldsOf(own.properties), ...fieldsOf(template.properties) }
  return { ...own, ...template, properties }
}

/** A node as a real server prints it: without empty fields, and with the fields of an object if the node is an embedded object. */
function published(node: Fields): Fields {
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(node)) {
    if (
      value === null ||
      value === false ||
      (isFields(value) && name !== 'default' && Object.keys(value).length === 0)
    ) {
      if (name === 'additionalProperties' && value === false) result[name] = value
      continue
    }
    if (name === 'properties') result[name] = eachOf(value as Fields)
    else if (name === 'items' || (name === 'additionalProperties' && isFields(value))) {
      result[name] = published(value as Fields)
    } else result[name] = value
  }
  if (node['x-kubernetes-embedded-resource'] === true) {
    result.properties = { ...fieldsOf(result.properties), ...embedded() }
    const required = (result.required ?? []) as readonly string[]
    result.required = [...required, ...['kind', 'apiVersion'].filter(name => !required.includes(name))]
  }
  return result
}

function eachOf(properties: Fields): Fields {
  return Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, published(node as Fields)]))
}

const conventions = 'More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md'

/** The schemas of the type and metadata of an embedded object. */
function embedded(): Fields {
  const { metadata } = fieldsOf(documents().definitions.scopes.Namespaced.object.properties)
  return {
    apiVersion: {
      description: `apiVersion defines the versioned schema of this representation of an object. ${conventions}#resources`,
      type: 'string',
    },
    kind: {
      description: `kind is a string value representing the type of this object. In CamelCase. ${conventions}#types-kinds`,
      type: 'string',
    },
    metadata,
  }
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
