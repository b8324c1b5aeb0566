import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@wherry/client'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import type { Deployment } from '@wherry/client/resources/apps'
import { subjectAccessReviews } from '@wherry/client/resources/authorization'
import type { Role } from '@wherry/client/resources/rbac'
import { type ApiServer, install } from '@wherry/testing'
import { parse, parseAllDocuments } from 'yaml'
import type { Until } from './until.ts'

/** A document of a manifest. */
interface Document {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined }
}

/** What the program asks for. */
interface Asked {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** The identity of a Deployment's program. */
export interface Workload {
  readonly namespace: string
  readonly serviceAccount: string
}

/** What an example is deployed with: the definitions of its resources, its admission policies, and its manifests. */
export class Manifest {
  #definitions: readonly CustomResourceDefinition[]
  readonly #documents: readonly Document[]

  /** Reads the manifests in `deploy` of a folder, and what `wherry crd` wrote to its `deploy/crd`, or a file in place of that. */
  constructor(folder: string, crd?: string) {
    const definitions = crd === undefined ? filesIn(join(folder, 'deploy/crd')) : [crd]
    const conversions = conversionsIn(join(folder, 'deploy/kustomization.yaml'))
    this.#definitions = (definitions.flatMap(read) as CustomResourceDefinition[]).map(one => {
      const conversion = conversions.get(one.metadata?.name ?? '')
      return conversion === undefined ? one : { ...one, spec: { ...one.spec, conversion } }
    })
    const manifests = filesIn(join(folder, 'deploy')).filter(file => /(?<!kustomization)\.yaml$/.test(file))
    this.#documents = manifests.flatMap(read) as Document[]
  }

  /**
   * Takes the conversions out of the definitions: they name a Service, which leads nowhere on a machine without a cluster. The program puts its own in
   * that name an address.
   */
  withoutConversions(): this {
    this.#definitions = this.#definitions.map(one => {
      const { conversion: _, ...spec } = one.spec
      return { ...one, spec }
    })
    return this
  }

  /** The identity that its Deployment runs as. */
  get workload(): Workload {
    const { metadata, spec } = this.#deployment
    const { serviceAccountName = '' } = spec?.template?.spec ?? {}
    return { namespace: metadata?.namespace ?? '', serviceAccount: serviceAccountName }
  }

  /** Whether its program has controllers, and so records events. A program without them has no health to ask for. */
  get isOperator(): boolean {
    return this.#deployment.spec?.template?.spec?.containers?.[0]?.readinessProbe !== undefined
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
  allows(asked: Asked): boolean {
    const { verb, group, resource, subresource, namespace, name } = asked
    const named = subresource === '' ? resource : `${resource}/${subresource}`
    const has = (allowed: readonly string[] | undefined, one: string): boolean =>
      allowed?.some(each => each === '*' || each === one) === true
    return this.#roles
      .filter(({ metadata }) => metadata?.namespace === undefined || metadata.namespace === namespace)
      .flatMap(({ rules }) => rules ?? [])
      .some(
        ({ verbs, apiGroups, resources, resourceNames = [] }) =>
          has(verbs, verb) &&
          has(apiGroups, group) &&
          has(resources, named) &&
          (resourceNames.length === 0 || resourceNames.includes(name)),
      )
  }

  /** Creates all of it, and waits until the resources are served and the rights are in force. */
  async create(server: ApiServer, client: Client, until: Until): Promise<void> {
    const foreign = [...this.#foreignNamespaces].map(name => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    }))
    await install(server, ...this.#definitions, ...foreign, ...this.#documents)
    for (const role of this.#roles) await until(`${role.metadata?.name} may`, () => this.#isInForce(client, role))
  }

  get #deployment(): Deployment {
    const found = this.#documents.find(({ kind }) => kind === 'Deployment')
    if (found === undefined) throw new Error('the manifests have no Deployment')
    return found as Deployment
  }

  /** The namespaces of roles that neither the manifests nor the server have from the start. */
  get #foreignNamespaces(): ReadonlySet<string> {
    const there = this.#documents.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name)
    const named = this.#roles.flatMap(({ metadata }) => metadata?.namespace ?? [])
    return new Set(named.filter(name => name !== 'default' && !there.includes(name)))
  }

  get #roles(): readonly Role[] {
    return this.#documents.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole') as readonly Role[]
  }

  /** A server takes a moment to know of a role. */
  async #isInForce(client: Client, { metadata, rules }: Role): Promise<boolean> {
    const { verbs: [verb] = [], resources, apiGroups, resourceNames } = rules?.[0] ?? { verbs: [] }
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
          ...(resourceNames?.[0] !== undefined && { name: resourceNames[0] }),
        },
      },
    })
    return status?.allowed === true
  }
}

/** The user that a Deployment's program is to the API server. */
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
  return existsSync(folder)
    ? readdirSync(folder)
        .sort()
        .map(name => join(folder, name))
    : []
}

function read(file: string): unknown[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map(document => document.toJS() as unknown)
}

/** The conversions that a kustomization patches definitions with, as `wherry manifests` writes it, by the name of the definition. */
function conversionsIn(file: string): ReadonlyMap<string, NonNullable<CustomResourceDefinition['spec']['conversion']>> {
  if (!existsSync(file)) return new Map()
  const [kustomization] = read(file) as [{ patches?: { target: { kind: string; name: string }; patch: string }[] }]
  return new Map(
    (kustomization.patches ?? []).map(({ target, patch }) => {
      const [operation, ...others] = parse(patch)
      if (target.kind !== 'CustomResourceDefinition' || operation?.path !== '/spec/conversion' || others.length > 0)
        throw new Error(`${file} has a patch that is no conversion of a definition`)
      return [target.name, operation.value]
    }),
  )
}
