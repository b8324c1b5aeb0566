import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'

/** A reason why an API server refuses a schema. */
export interface ServerRefusal {
  /** The index of the version in the definition; 0 if all versions have the same schema. */
  readonly version: number
  /** The field: `spec.players[].name`. Empty for the whole object. */
  readonly path: string
  /** The message of the server, after the part of the schema that it is about. */
  readonly message: string
}

/**
 * The rules of a definition that an API server would refuse, because they do not compile or cost too much. The check is that of the embedded server,
 * which takes some time to load. A definition without rules is not checked here: `@wherry/crd` makes no schema that a server refuses.
 */
export async function serverRefusals(definition: CustomResourceDefinition): Promise<readonly ServerRefusal[]> {
  if (!JSON.stringify(definition.spec.versions).includes('"x-kubernetes-validations"')) return []
  const { refusalsOfSchemas } = await import('@wherry/apiserver/internal')
  return refusalsOfSchemas(definition).map(({ field, message }) => {
    const [, version = '0', rest = ''] =
      /^spec\.(?:versions\[(\d+)\]\.schema|validation)\.openAPIV3Schema(.*)$/.exec(field) ?? []
    const [, inner = '', part = ''] = /^(.*?)(?:\.(x-kubernetes-validations\[.*))?$/.exec(rest) ?? []
    return { version: Number(version), path: pathOf(inner), message: part === '' ? message : `${part}: ${message}` }
  })
}

/** The path of a field, from that of its schema: `.properties[players].items`. */
function pathOf(schemaPath: string): string {
  const steps = /\.properties\[([^\]]*)\]|\.(items|additionalProperties)(?=\.|$)/g
  return schemaPath
    .replace(steps, (_, name?: string, step?: string) =>
      step === undefined ? `.${name}` : step === 'items' ? '[]' : '{}',
    )
    .replace(/^\./, '')
}
