import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, defineResource, isResourceNotFound, type Resource } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type Deployment, deployments } from '@wherry/client/resources/apps'
import { subjectAccessReviews } from '@wherry/client/resources/authorization'
import { namespaces, serviceAccounts } from '@wherry/client/resources/core'
import { clusterRoleBindings, clusterRoles, type Role, roleBindings, roles } from '@wherry/client/resources/rbac'
import { parseAllDocuments } from 'yaml'
import type { Until } from './until.ts'

/** A document of a manifest. */
interface Document {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined }
}

/** Who the program of a Deployment is, and with what it runs. */
export interface Workload {
  readonly namespace: string
  readonly serviceAccount: string
  /** What follows `node main.ts`. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const kinds: Readonly<Record<string, Resource<object>>> = {
  Namespace: namespaces,
  ServiceAccount: serviceAccounts,
  Role: roles,
  RoleBinding: roleBindings,
  ClusterRole: clusterRoles,
  ClusterRoleBinding: clusterRoleBindings,
  Deployment: deployments,
}

/** What an example is deployed with: the definitions of its resources, and its manifest. */
export class Manifest {
  readonly #definitions: readonly CustomResourceDefinition[]
  readonly #documents: readonly Document[]

  /** Reads `manifest.yaml` of a folder, and the definitions in its `deploy/crd`, or a file in place of them. */
  constructor(folder: string, crd?: string) {
    const definitions = crd === undefined ? filesIn(join(folder, 'deploy/crd')) : [crd]
    this.#definitions = definitions.flatMap(read) as CustomResourceDefinition[]
    this.#documents = read(join(folder, 'manifest.yaml')) as Document[]
  }

  /** What its Deployment runs. */
  get workload(): Workload {
    const { metadata, spec } = this.#documents.find(({ kind }) => kind === 'Deployment') as Deployment
    const { serviceAccountName = '', containers = [] } = spec?.template?.spec ?? {}
    const { namespace = '' } = metadata ?? {}
    const { command = [], env = [] } = containers[0] ?? {}
    const [node, main, ...args] = command
    if (node !== 'node' || !main?.endsWith('/main.ts')) throw new Error(`a command of another kind: ${command}`)
    const values = env.map(({ name, value, valueFrom }) => {
      if (valueFrom === undefined) return [name, value ?? '']
      if (valueFrom.fieldRef?.fieldPath !== 'metadata.namespace') throw new Error(`${name} is from elsewhere`)
      return [name, namespace]
    })
    return { namespace, serviceAccount: serviceAccountName, args, env: Object.fromEntries(values) }
  }

  /** Whether its program has controllers, and so records events. A program without them has no health to ask for. */
  get isOperator(): boolean {
    return 'PORT' in this.workload.env
  }

  /** What its roles allow, a line each: `watch configmaps`, `patch games.arcade.example.com/status`. */
  get rights(): string[] {
    const all = this.#roles.flatMap(({ rules }) =>
      (rules ?? []).flatMap(({ verbs, resources = [], apiGroups = [] }) =>
        verbs.flatMap(verb =>
          apiGroups.flatMap(group => resources.map(resource => right({ verb, group, ...parts(resource) }))),
        ),
      ),
    )
    return [...new Set(all)].sort()
  }

  /** Whether its roles allow the program a request: those of a namespace there alone. */
  allows(asked: { verb: string; group: string; resource: string; subresource: string; namespace: string }): boolean {
    const { verb, group, resource, subresource, namespace } = asked
    const named = subresource === '' ? resource : `${resource}/${subresource}`
    const has = (allowed: readonly string[] | undefined, one: string): boolean =>
      allowed?.some(each => each === '*' || each === one) === true
    return this.#roles
      .filter(({ metadata }) => metadata?.namespace === undefined || metadata.namespace === namespace)
      .flatMap(({ rules }) => rules ?? [])
      .some(({ verbs, apiGroups, resources }) => has(verbs, verb) && has(apiGroups, group) && has(resources, named))
  }

  /** Creates all of it, and waits until the resources are served and the rights are in force. */
  async create(client: Client, until: Until): Promise<void> {
    for (const definition of this.#definitions) await client.create(customResourceDefinitions, definition)
    for (const { spec } of this.#definitions) {
      const { group, names, scope, versions } = spec
      for (const { name: version } of versions) {
        const { kind, plural } = names
        const of = { group, version, kind, plural }
        const resource =
          scope === 'Namespaced'
            ? defineResource<object>({ ...of, namespaced: true })
            : defineResource<object>({ ...of, namespaced: false })
        await until(`${plural} are served`, () => isServed(client, resource))
      }
    }
    for (const document of this.#documents) {
      const resource = kinds[document.kind]
      if (resource === undefined) throw new Error(`a manifest may not hold a ${document.kind} here`)
      await client.create(resource, document)
    }
    for (const role of this.#roles) await until(`${role.metadata?.name} may`, () => this.#isInForce(client, role))
  }

  get #roles(): readonly Role[] {
    return this.#documents.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole') as readonly Role[]
  }

  /** A server takes a moment to know of a role. */
  async #isInForce(client: Client, { metadata, rules }: Role): Promise<boolean> {
    const { verbs: [verb] = [], resources, apiGroups } = rules?.[0] ?? { verbs: [] }
    const { user, groups } = userOf(this.workload)
    const { status } = await client.create(subjectAccessReviews, {
      spec: {
        user,
        groups: [...groups],
        resourceAttributes: {
          verb: `${verb}`,
          group: apiGroups?.[0] ?? '',
          ...parts(resources?.[0] ?? ''),
          ...(metadata?.namespace !== undefined && { namespace: metadata.namespace }),
        },
      },
    })
    return status?.allowed === true
  }
}

/** As whom a Deployment's program comes to the API server. */
export function userOf({ namespace, serviceAccount }: Pick<Workload, 'namespace' | 'serviceAccount'>): {
  readonly user: string
  readonly groups: readonly string[]
} {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
  return { user: `system:serviceaccount:${namespace}:${serviceAccount}`, groups }
}

/** A right in one line. */
export function right(of: { verb: string; group: string; resource: string; subresource?: string | undefined }): string {
  const { verb, group, resource, subresource } = of
  return `${verb} ${resource}${group && `.${group}`}${subresource ? `/${subresource}` : ''}`
}

function parts(resource: string): { readonly resource: string; readonly subresource?: string } {
  const [plural = '', subresource] = resource.split('/')
  return { resource: plural, ...(subresource !== undefined && { subresource }) }
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map(name => join(folder, name)) : []
}

function read(file: string): unknown[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map(document => document.toJS() as unknown)
}

async function isServed(client: Client, resource: Resource<object>): Promise<boolean> {
  try {
    await client.list(resource)
    return true
  } catch (error) {
    if (isResourceNotFound(error)) return false
    throw error
  }
}
