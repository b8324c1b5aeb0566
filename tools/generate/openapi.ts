import type { Cluster } from './cluster.ts'

/** As much of an OpenAPI v3 schema as Kubernetes uses for its own types. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly default?: unknown
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string
    readonly version: string
    readonly kind: string
  }[]
}

/** The schemas of one group version by their names (`io.k8s.api.core.v1.Pod`). */
export type Schemas = Readonly<Record<string, Schema>>

/** Fetches the schemas of one group version. */
export async function fetchSchemas(cluster: Cluster, group: string, version: string): Promise<Schemas> {
  const path = group === '' ? `api/${version}` : `apis/${group}/${version}`
  const document = (await cluster.get(`/openapi/v3/${path}`)) as { components: { schemas: Schemas } }
  return document.components.schemas
}

/** The name of the schema of a kind, or `undefined`. */
export function schemaOfKind(schemas: Schemas, group: string, version: string, kind: string): string | undefined {
  return Object.keys(schemas).find(name => {
    const kinds = schemas[name]?.['x-kubernetes-group-version-kind'] ?? []
    return kinds.length === 1 && kinds.some(of => of.group === group && of.version === version && of.kind === kind)
  })
}

/** The name that `schema` refers to, directly or as Kubernetes writes a reference with a default: in an `allOf`. */
export function referenceOf(schema: Schema): string | undefined {
  const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined)
  return reference?.replace('#/components/schemas/', '')
}
