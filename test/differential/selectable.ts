import type { Target } from './target.ts'

/** A kind that can be listed. */
export interface Listed {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The list of all namespaces. */
  readonly path: string
  /** The paths that list it. */
  readonly paths: readonly string[]
}

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string }
    readonly versions: readonly {
      readonly version: string
      readonly resources?: readonly {
        readonly resource: string
        readonly scope: string
        readonly verbs: readonly string[]
        readonly responseKind: { readonly kind: string }
      }[]
    }[]
  }[]
}

interface Schema {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string
    readonly version: string
    readonly kind: string
  }[]
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
/** How deep the fields of a kind are asked for: `spec.pool.name` is 3. */
const depth = 3

/** What a server lists of its built-in kinds. */
export async function listedKinds(target: Target): Promise<Listed[]> {
  const answers = await Promise.all(['/api', '/apis'].map(path => target.ask('GET', path, { accept: aggregated })))
  const groups = answers.flatMap(({ text }) => (JSON.parse(text) as Discovery).items)
  return groups.flatMap(({ metadata: { name: group = '' }, versions }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources
        .filter(({ verbs }) => verbs.includes('list'))
        .map(({ resource, scope, responseKind: { kind } }) => {
          const root = rootOf(group, version)
          const path = `${root}/${resource}`
          const namespaced = scope === 'Namespaced' ? [`${root}/namespaces/default/${resource}`] : []
          return { group, version, kind, path, paths: [path, ...namespaced] }
        }),
    ),
  )
}

function rootOf(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`
}

/** The fields of a kind but those of its metadata, as the server's OpenAPI has them. Fields of items are not in it: no selector can name them. */
export async function fieldsOf(target: Target, { group, version, kind }: Listed): Promise<string[]> {
  const { text } = await target.ask('GET', `/openapi/v3${rootOf(group, version)}`, {})
  const { schemas } = (JSON.parse(text) as { components: { schemas: Readonly<Record<string, Schema>> } }).components
  const isIt = (schema: Schema): boolean =>
    schema['x-kubernetes-group-version-kind']?.some(
      one => one.group === group && one.version === version && one.kind === kind,
    ) ?? false
  const found = Object.values(schemas).find(isIt)
  if (found === undefined) throw new Error(`${target.name}: no schema of ${group}/${version} ${kind}`)
  const walk = (schema: Schema, at: string, left: number): string[] =>
    Object.entries(properties(schema)).flatMap(([name, inner]) => {
      if (at === '' && name === 'metadata') return []
      const path = at === '' ? name : `${at}.${name}`
      return [path, ...(left > 1 ? walk(inner, path, left - 1) : [])]
    })
  const properties = (schema: Schema): Readonly<Record<string, Schema>> => {
    const { $ref, allOf: [only] = [] } = schema
    if ($ref !== undefined) return properties(schemas[$ref.slice('#/components/schemas/'.length)] as Schema)
    return only === undefined ? (schema.properties ?? {}) : properties(only)
  }
  return walk(found, '', depth)
}
