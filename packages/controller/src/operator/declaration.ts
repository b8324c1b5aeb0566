import { channel } from 'node:diagnostics_channel'
import { FieldSelector, type View } from '@wherry/client'
import type { ControllerDefinition } from '../controller/definition.ts'
import { isFinalizing } from '../controller/finalizer.ts'
import { ringGroup, ringPlural } from '../shards/ring-names.ts'
import type { OperatorComponent } from './component.ts'

/** A right that a declaration of an operator needs. */
export interface DeclaredRight {
  readonly verb: string
  /** `''` for the core group. */
  readonly group: string
  /** With its subresource. */
  readonly resource: string
  /** `undefined` for the whole cluster, and for cluster-scoped resources. */
  readonly namespace?: string | undefined
  /** The name of the only object that the right is for; `undefined` for all objects. */
  readonly name?: string | undefined
  /** The declaration that needs it, for people: `controller game: for`. */
  readonly by: string
  /** Whether the right is granted separately, by its name alone, even if there are other rights to the resource. */
  readonly exact?: boolean | undefined
}

/** The port and the paths of a health server. */
export interface DeclaredHealth {
  readonly host: string
  /** 0: a free port. */
  readonly port: number
  readonly tls: boolean
  /** Whether the server serves `/metrics`. */
  readonly metrics: boolean
  /** Whether `/metrics` needs a token of the cluster. */
  readonly tokenReview: boolean
}

/** The declarations of an operator before it runs. */
export interface OperatorDeclaration {
  readonly name: string
  /** Whether replicas share the work: by a leader, or as shards. */
  readonly leader: boolean
  /** How many processes share the objects by their uids, each with a number. `undefined`: none do. */
  readonly processes?: number | undefined
  readonly health: DeclaredHealth | undefined
  /** The namespaces of the primary objects, sorted. `undefined`: the whole cluster, or resources without namespaces. */
  readonly namespaces: readonly string[] | undefined
  readonly rights: readonly DeclaredRight[]
  readonly controllers: readonly string[]
  readonly components: readonly DeclaredComponent[]
}

/** The declarations of a component, besides its rights. */
export interface DeclaredComponent {
  readonly name: string
  readonly details?: object | undefined
}

/** The shards of an operator: of a ring, or a number of them that share the objects by their uids. */
interface DeclaredShards {
  readonly ring: string | undefined
  readonly count: number | undefined
  readonly namespace: string
}

/** The parts of a declaration. */
export interface Declared {
  readonly name: string
  readonly definitions: readonly ControllerDefinition<unknown>[]
  readonly lease: { readonly name: string; readonly namespace: string | undefined } | undefined
  readonly shards: DeclaredShards | undefined
  readonly isSharded: (definition: ControllerDefinition<unknown>) => boolean
  readonly health: DeclaredHealth | undefined
  readonly components: readonly OperatorComponent[]
}

/**
 * The channel in which an operator publishes its {@link OperatorDeclaration} at the start of its run. `wherry rbac` and `wherry manifests`
 * run a program up to that point, and read this form.
 */
const declarations = channel('wherry.operator.run')

/** Publishes the declarations of an operator, if the channel has a subscriber. */
export function publishDeclaration(declared: () => Declared): void {
  if (declarations.hasSubscribers) declarations.publish(declarationOf(declared()))
}

function declarationOf({
  name,
  definitions,
  lease,
  shards,
  isSharded,
  health,
  components,
}: Declared): OperatorDeclaration {
  const declared = components.map(one => ({ name: one.name, ...one.declare?.() }))
  const primaries = definitions.flatMap(({ for: view }) => (view === 'singleton' ? [] : [view as View]))
  const isEverywhere = primaries.length === 0 || primaries.some(({ namespaces }) => namespaces === undefined)
  return {
    name,
    leader: lease !== undefined || shards !== undefined,
    processes: shards?.count,
    health,
    namespaces: isEverywhere ? undefined : [...new Set(primaries.flatMap(({ namespaces = [] }) => namespaces))].sort(),
    rights: [
      ...definitions.flatMap(rightsOf),
      ...(lease === undefined ? [] : leaseRights(lease)),
      ...(shards?.ring === undefined ? [] : definitions.filter(isSharded).flatMap(releaseRights)),
      ...(shards === undefined ? [] : shardRights(shards)),
      ...(health?.tokenReview ? reviewRights : []),
      ...declared.flatMap(({ rights = [] }) => rights),
    ],
    controllers: definitions.map(one => one.name),
    components: declared.map(one => ({ name: one.name, details: one.details })),
  }
}

function rightsOf(definition: ControllerDefinition<unknown>): DeclaredRight[] {
  const { for: view, sources = [], caches = [] } = definition
  const by = `controller ${definition.name}`
  const sourceRights = sources.flatMap(({ name, view }) => (view ? viewRights(view, `${by}: ${wordOf(name)}`) : []))
  const cacheRights = caches.flatMap(view => viewRights(view, `${by}: caches`))
  if (view === 'singleton') return [...sourceRights, ...cacheRights]
  const mine = view as View
  return [
    ...viewRights(mine, `${by}: for`),
    ...(isFinalizing(definition.reconcile) ? rights(mine, ['get', 'patch'], `${by}: finalizer`) : []),
    ...sourceRights,
    ...cacheRights,
    ...eventRights(mine, `${by}: events`),
  ]
}

/** The first word of a source's name: `owns` of `owns VIEW`. */
function wordOf(name: string): string {
  return name.split(' ')[0] ?? name
}

/**
 * The rights that a cache of a view needs: to one object, if the view's fields select it by name. They include `list`, for servers that do not
 * stream lists.
 */
export function viewRights(view: View, by: string): DeclaredRight[] {
  return rights(view, ['list', 'watch'], by)
}

function rights({ resource, namespaces, fields }: View, verbs: readonly string[], by: string): DeclaredRight[] {
  const { group, plural } = resource
  const named = fields.requirements.find(({ field, operator }) => field === 'metadata.name' && operator === '=')
  return (namespaces ?? [undefined]).flatMap(namespace =>
    verbs.map(verb => ({ verb, group, resource: plural, namespace, name: named?.value, by })),
  )
}

/** Events about an object without a namespace are in `default`. */
function eventRights({ resource, namespaces }: View, by: string): DeclaredRight[] {
  const places = resource.namespaced ? (namespaces ?? [undefined]) : ['default']
  return places.flatMap(namespace =>
    ['create', 'patch'].map(verb => ({ verb, group: '', resource: 'events', namespace, by })),
  )
}

function leaseRights({ name, namespace }: NonNullable<Declared['lease']>): DeclaredRight[] {
  const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace, by: 'leader' }
  return [
    ...['get', 'update', 'watch'].map(verb => ({ ...lease, verb, name })),
    // A rule can't name an object that does not exist yet.
    { ...lease, verb: 'create' },
  ]
}

/** The rights to remove the labels of the ring from an object. */
function releaseRights({ name, for: view }: ControllerDefinition<unknown>): DeclaredRight[] {
  return view === 'singleton'
    ? []
    : rights({ ...view, fields: FieldSelector.everything }, ['patch'], `controller ${name}: shards`)
}

/** Each process has a lease of its own name, so the rights name no lease. */
function shardRights({ ring, namespace }: NonNullable<Declared['shards']>): DeclaredRight[] {
  const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace, by: 'shards' }
  const verbs = ['get', 'update', 'watch', 'create']
  if (ring === undefined) return [...verbs, 'list'].map(verb => ({ ...lease, verb }))
  return [
    { verb: 'get', group: ringGroup, resource: ringPlural, name: ring, by: 'shards', exact: true },
    ...verbs.map(verb => ({ ...lease, verb })),
  ]
}

const reviewRights: readonly DeclaredRight[] = [
  { verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews', by: 'health: tokenReview' },
  { verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews', by: 'health: tokenReview' },
]
