import { anything, type Check, checkOptions, text } from '../errors/check.ts'
import { InvalidNameError } from '../errors/invalid-name.ts'
import { OptionRangeError, OptionTypeError } from '../errors/option.ts'
import type { FieldSelectorInput } from './field-selector.ts'
import { FieldSelector } from './field-selector.ts'
import type { LabelSelectorInput } from './label-selector.ts'
import { LabelSelector } from './label-selector.ts'
import type { Exact, PartialObjectMetadata, Projected, Scope } from './object.ts'
import { nameOfProjection, type Projection } from './projection.ts'
import { checkNamespace, checkSegment } from './segment.ts'
import { Shard, type ShardInput } from './shard.ts'

/** Identifies a resource: its kind and its name in paths. */
export interface ResourceDefinition {
  /** API group; `''` is the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The resource's name in paths: `configmaps`. */
  readonly plural: string
  readonly namespaced: boolean
  /**
   * The kind of a list of the objects. A definition may have another name in its `spec.names.listKind`. A list of any other kind proves nothing, so it is
   * an `InvalidBodyError`.
   * @default `kind` and `List`
   */
  readonly listKind?: string | undefined
}

/** The {@link ResourceDefinition} of a view. */
export interface ResourceType<S extends Scope = Scope> extends ResourceDefinition {
  readonly scope: S
}

/** A narrower scope. Parts that you leave out do not change. */
export type Within<S extends Scope = Scope> = S extends 'namespaced'
  ? WithinSelectors & {
      /** Only these namespaces, each with its own requests. Not an empty list. @default all */
      readonly namespaces?: readonly string[] | undefined
    }
  : WithinSelectors & { readonly namespaces?: undefined }

export interface WithinSelectors {
  /** Only objects with these labels. @default all */
  readonly labels?: LabelSelectorInput | undefined
  /** Only objects with these fields; the server decides which fields it supports. @default all */
  readonly fields?: FieldSelectorInput | undefined
  /**
   * Alpha. Only one part of the objects, by a hash of their uids, so that several processes can share a resource. Each object that arrives is
   * checked; API servers with the feature gate `ShardedListAndWatch` send only those of the part. @default all
   */
  readonly shard?: ShardInput | undefined
}

/**
 * A set of objects to read: a resource, a scope and a projection. Views are values: two views with the same `key` are the same view. `C` is the type that a
 * read returns; `S` says whether the resource is namespaced.
 */
export interface View<out C = unknown, S extends Scope = Scope> {
  /** Group, version, resource, sorted namespaces, shard, normalised selectors and the projection's name. */
  readonly key: string
  readonly resource: ResourceType<S>
  /** Sorted and unique; `undefined`: all namespaces. Never empty. */
  readonly namespaces: readonly string[] | undefined
  /** The part of the objects; `undefined`: all. */
  readonly shard?: Shard | undefined
  readonly labels: LabelSelector
  readonly fields: FieldSelector
  readonly projection: Projection<C>
  /**
   * The same view with fewer objects: namespaces are intersected, and both selectors must hold.
   *
   * @throws RangeError if no namespace is given or left, or for a second shard
   * @throws InvalidNameError for a namespace, label key or label value that no server takes
   */
  within(scope: Within<S>): View<C, S>
}

/** All objects of a resource, without `managedFields`. Other views are made from it. */
export interface Resource<T, S extends Scope = Scope> extends View<T, S> {
  within(scope: Within<S>): Resource<T, S>
  /** Objects with `managedFields`. */
  full(): View<T, S>
  /** Objects with `managedFields`, and with integers beyond 2^53 − 1 as `bigint`, which are written back digit for digit. */
  exact(): View<Exact<T>, S>
  /** Only identity and metadata, without `managedFields`: the server does not send the rest. */
  metadata(): View<PartialObjectMetadata, S>
  /**
   * Objects as the function `project` returns them. Call this method once, at module level: the name identifies the projection in the view's key, and
   * another function of that name is a conflict if both are used together. `project` gets the decoded object, `managedFields` included, and must not change it.
   * Its result is kept in memory, so build a new object rather than delete fields.
   */
  project<C>(name: string, project: (object: T) => C): View<Projected<C>, S>
  /**
   * The same with a projection that has a name (`selfNamed()`), for example the ready-made ones of `@wherry/transform-cache`.
   *
   * @throws OptionTypeError for a function without a name
   */
  project<C>(selfNamed: (object: T) => C): View<Projected<C>, S>
}

/** Every Kubernetes object has metadata. */
export interface HasMetadata {
  metadata?: object | undefined
}

/**
 * Defines a resource by its names. It sends no request; define it once, at module level. It takes the result of `discover` as it is, and also
 * another resource's `resource`.
 *
 * @throws InvalidNameError for a name that can't be part of a path
 * @throws OptionTypeError for an unknown field
 * @example
 * ```ts
 * import { Client, defineResource, type ObjectMeta } from '@wherry/client'
 *
 * interface Game { metadata?: ObjectMeta; spec: { players: number } }
 * const games = defineResource<Game>({
 *   group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true,
 * })
 *
 * const client = await Client.connect()
 * const chess = await client.get(games, { name: 'chess', namespace: 'arcade' })
 * console.log(chess?.spec.players)
 * ```
 */
export function defineResource<T extends HasMetadata>(
  definition: ResourceDefinition & { readonly namespaced: true },
): Resource<T, 'namespaced'>
export function defineResource<T extends HasMetadata>(
  definition: ResourceDefinition & { readonly namespaced: false },
): Resource<T, 'cluster'>
export function defineResource<T extends HasMetadata>(definition: ResourceDefinition): Resource<T, Scope>
export function defineResource<T extends HasMetadata>(definition: ResourceDefinition): Resource<T, Scope> {
  checkOptions('resource', definition, known)
  const { group, version, kind, plural, namespaced, listKind } = definition
  if (group !== '') checkSegment('group', group)
  checkSegment('version', version)
  checkSegment('plural', plural)
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(plural))
    throw new InvalidNameError('plural', plural, "must be of a to z, 0 to 9 and '-', and begin with a letter")
  if (typeof kind !== 'string' || kind === '') throw new OptionTypeError('kind', 'the name of a kind', `${kind}`)
  if (listKind !== undefined) text('listKind', listKind)
  if (typeof namespaced !== 'boolean') throw new OptionTypeError('namespaced', 'true or false', typeof namespaced)
  const resource: ResourceType = {
    group,
    version,
    kind,
    plural,
    namespaced,
    scope: namespaced ? 'namespaced' : 'cluster',
    ...(listKind !== undefined && { listKind }),
  }
  return new AnyView<T>(resource, undefined, LabelSelector.everything, FieldSelector.everything, byKind.default)
}

/** A definition's own fields, which are checked above, and those of a `ResourceType` and of a `DiscoveredResource`. */
const known: Readonly<Record<string, Check>> = Object.fromEntries(
  [
    ...['group', 'version', 'kind', 'plural', 'namespaced', 'listKind', 'scope'],
    ...['singular', 'verbs', 'shortNames', 'categories', 'subresources'],
  ].map(field => [field, anything]),
)

const byKind = {
  default: { kind: 'default', name: 'default' },
  full: { kind: 'full', name: 'full' },
  exact: { kind: 'exact', name: 'exact' },
  metadata: { kind: 'metadata', name: 'metadata' },
} as const satisfies Record<string, Projection<never>>

class AnyView<T> implements Resource<T> {
  readonly resource: ResourceType
  readonly namespaces: readonly string[] | undefined
  readonly shard: Shard | undefined
  readonly labels: LabelSelector
  readonly fields: FieldSelector
  readonly projection: Projection<T>
  #key: string | undefined

  constructor(
    resource: ResourceType,
    namespaces: readonly string[] | undefined,
    labels: LabelSelector,
    fields: FieldSelector,
    projection: Projection<T>,
    shard?: Shard | undefined,
  ) {
    this.resource = resource
    this.namespaces = namespaces
    this.shard = shard
    this.labels = labels
    this.fields = fields
    this.projection = projection
  }

  get key(): string {
    this.#key ??= keyOf(this)
    return this.#key
  }

  within(scope: Within): AnyView<T> {
    if (scope === null || typeof scope !== 'object') throw new OptionTypeError('within', 'an object', `${scope}`)
    for (const name of Object.keys(scope)) {
      if (name !== 'namespaces' && name !== 'labels' && name !== 'fields' && name !== 'shard') {
        throw new OptionRangeError('within', 'namespaces, shard, labels and fields', JSON.stringify(name))
      }
    }
    const shard = scope.shard === undefined ? this.shard : this.#part(scope.shard)
    return new AnyView(
      this.resource,
      scope.namespaces === undefined ? this.namespaces : this.#narrowed(scope.namespaces),
      scope.labels === undefined ? this.labels : this.labels.and(LabelSelector.of(scope.labels, 'within.labels')),
      scope.fields === undefined ? this.fields : this.fields.and(FieldSelector.of(scope.fields, 'within.fields')),
      this.projection,
      shard,
    )
  }

  full(): View<T> {
    return this.#as(byKind.full)
  }

  exact(): View<Exact<T>> {
    return this.#as(byKind.exact)
  }

  metadata(): View<PartialObjectMetadata> {
    return this.#as(byKind.metadata)
  }

  project<C>(named: string | ((object: T) => C), own?: (object: T) => C): View<Projected<C>> {
    const selfNamed = typeof named === 'function'
    const name = selfNamed ? nameOfProjection(named) : named
    const project = selfNamed ? named : own
    if (typeof name !== 'string' || name === '') throw new OptionTypeError('project.name', 'a name', `${name}`)
    if (typeof project !== 'function') throw new OptionTypeError('project', 'a function of an object', typeof project)
    if (selfNamed && own !== undefined) throw new OptionTypeError('project', 'one function', 'two')
    return this.#as({
      kind: 'named',
      name,
      project: project as (object: T) => Projected<C>,
      ...(selfNamed && { selfNamed }),
    })
  }

  #as<C>(projection: Projection<C>): View<C> {
    return new AnyView(this.resource, this.namespaces, this.labels, this.fields, projection, this.shard)
  }

  #part(input: ShardInput): Shard {
    const shard = Shard.of(input, 'within.shard')
    if (this.shard !== undefined && `${this.shard}` !== `${shard}`) {
      throw new OptionRangeError('within.shard', `nothing but ${this.shard}, which the view has already`, `${shard}`)
    }
    return shard
  }

  #narrowed(namespaces: readonly string[]): readonly string[] {
    const takes = 'a list of at least one namespace'
    if (!Array.isArray(namespaces)) throw new OptionTypeError('within.namespaces', takes, typeof namespaces)
    if (!this.resource.namespaced) {
      throw new OptionRangeError(
        'within.namespaces',
        `nothing for ${this.resource.plural}, which have no namespace`,
        'a list',
      )
    }
    if (namespaces.length === 0) throw new OptionRangeError('within.namespaces', takes, 'an empty list')
    for (const namespace of namespaces) checkNamespace(namespace)
    const held = this.namespaces
    const both = held === undefined ? namespaces : namespaces.filter(namespace => held.includes(namespace))
    if (both.length === 0) {
      throw new OptionRangeError('within.namespaces', `namespaces among ${held?.join(', ')}`, namespaces.join(', '))
    }
    return [...new Set(both)].sort()
  }
}

/** The key of a view. Separators within its parts are escaped, so that different views have different keys. */
function keyOf({ resource, namespaces, shard, labels, fields, projection }: View): string {
  const { group, version, plural } = resource
  const parts: string[] = []
  if (namespaces !== undefined) parts.push(`namespaces=${namespaces.map(namespace => escaped(namespace)).join(',')}`)
  if (shard !== undefined) parts.push(`shard=${shard}`)
  if (labels.text !== '') parts.push(`labels=${escaped(labels.text, /[%&]/g)}`)
  if (fields.text !== '') parts.push(`fields=${escaped(fields.text, /[%&]/g)}`)
  if (projection.kind === 'named') parts.push(`projection=${escaped(projection.name, /[%&]/g)}`)
  else if (projection.kind !== 'default') parts.push(`as=${projection.kind}`)
  const path = [group, version, plural].map(part => escaped(part)).join('/')
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`
}

function escaped(text: string, what: RegExp = /[%&,?/]/g): string {
  return text.replace(what, encodeURIComponent)
}
