import {
  defineResource,
  type KubernetesObject,
  type OwnerReference,
  type Resource,
  type SelfNamedProjection,
  type View,
} from '@wherry/client'
import { nameOfProjection, projector, resourceName, selfNamed } from '@wherry/client/internal'
import { Shared } from '@wherry/hash-compare/internal'
import type { Condition } from '../objects/conditions.ts'
import { controllerOf } from '../objects/owner.ts'
import { type OwnedFields, ownedFields } from './judge.ts'

/** The parts that are kept of an object that a manager applies. The projection has the same name. */
export interface AppliedObject {
  readonly metadata: {
    readonly uid: string | undefined
    readonly resourceVersion: string | undefined
    readonly deletionTimestamp: string | undefined
  }
  /** The reference to the controlling owner, without its flags. */
  readonly controller: OwnerReference | undefined
  readonly owned: OwnedFields | undefined
  /** The managers that have applied or updated the object, or its status. `undefined` if the manager of this form has applied it. */
  readonly writers: readonly string[] | undefined
  /** The conditions of the status: type, status and time. `undefined` unless the controller applies the status. */
  readonly conditions?: readonly Condition[] | undefined
  /** The projected values of owned views, by the names of their projections. Kept only for views with predicates. */
  readonly values?: Readonly<Record<string, unknown>> | undefined
}

interface WithValues {
  /** The projections of owned views, by their names. */
  readonly values: Map<string, (object: object) => unknown>
  readonly project: (object: KubernetesObject) => AppliedObject
}

/** Projects objects to the kept parts, for one field manager, and for the object itself or its status. */
export class AppliedObjects {
  readonly manager: string
  readonly subresource: '' | 'status'
  /** Names of fields that are not compared by value. @default none */
  readonly times: ReadonlySet<string> | undefined
  /** Shares equal texts: most objects of a kind have equal owned fields. */
  readonly #texts = new Shared<string>()
  readonly #views = new Map<string, View<AppliedObject>>()
  readonly #others = new Map<string, AppliedObjects>()
  /**
   * By resource: the projections whose values are kept too. Each resource has a single function, because views with different functions do not share an
   * informer.
   */
  readonly #withValues = new Map<string, WithValues>()

  /** The projection of one object. */
  readonly of: SelfNamedProjection<KubernetesObject, AppliedObject>

  constructor(manager: string, subresource: '' | 'status' = '', times?: ReadonlySet<string>) {
    this.manager = manager
    this.subresource = subresource
    this.times = times
    // Projections of one name must be equal, so the name has everything that this one depends on.
    const but = times === undefined ? '' : `-but:${[...times].sort()}`
    this.of = selfNamed(`applied${subresource && '-status'}:${manager}${but}`, object => this.#kept(object))
  }

  /** The kept form for another manager. */
  by(manager: string): AppliedObjects {
    if (manager === this.manager) return this
    const found = this.#others.get(manager) ?? new AppliedObjects(manager, this.subresource, this.times)
    this.#others.set(manager, found)
    return found
  }

  /** Keeps the projected values of `view`. Call it before {@link AppliedObjects.view}. */
  keepValues(view: View): void {
    const name = resourceName(view.resource)
    const found = this.#withValues.get(name)
    const values = found?.values ?? new Map<string, (object: object) => unknown>()
    values.set(view.projection.name, projector(view))
    const project = (object: KubernetesObject): AppliedObject => ({
      ...this.#kept(object),
      values: Object.fromEntries([...values].map(([of, make]) => [of, make(object)])),
    })
    if (found === undefined) this.#withValues.set(name, { values, project })
  }

  /** The objects that `view` selects, as they are kept here. */
  view({ resource, namespaces, shard, labels, fields }: View): View<AppliedObject> {
    const scope = `${resourceName(resource)} ${namespaces ?? '*'} ${shard ?? '*'} ${labels} ${fields}`
    const found = this.#views.get(scope)
    if (found !== undefined) return found
    const whole: Resource<KubernetesObject> = defineResource<KubernetesObject>({
      ...resource,
    } as typeof resource & { readonly namespaced: true })
    const within = {
      ...(namespaces !== undefined && { namespaces }),
      ...(shard && { shard: { index: shard.index, of: shard.of } }),
      labels,
      fields,
    } as {
      readonly labels: typeof labels
    }
    const selected = whole.within(within)
    const own = this.#withValues.get(resourceName(resource))?.project
    const made = (
      own === undefined ? selected.project(this.of) : selected.project(nameOfProjection(this.of) as string, own)
    ) as View<AppliedObject>
    this.#views.set(scope, made)
    return made
  }

  #kept(object: KubernetesObject): AppliedObject {
    const { name, uid, resourceVersion, deletionTimestamp, managedFields = [] } = object.metadata ?? {}
    const owned = ownedFields(object, this.manager, this.subresource, this.times)
    const writers = managedFields.flatMap(({ manager, subresource = '' }) =>
      subresource === this.subresource && manager !== undefined ? [manager] : [],
    )
    const controller = this.#reference(controllerOf(object), name)
    const kept = {
      metadata: { uid, resourceVersion, deletionTimestamp },
      controller,
      owned: owned && this.#owned(owned),
      writers: owned === undefined ? writers : undefined,
    }
    return this.subresource === 'status' ? { ...kept, conditions: conditionsOf(object) } : kept
  }

  #owned({ apiVersion, fields, digest, owners }: OwnedFields): OwnedFields {
    return {
      apiVersion: this.#texts.get(apiVersion, apiVersion),
      fields: this.#texts.get(fields, fields),
      digest,
      owners,
    }
  }

  /** A controlling owner. Its strings are shared with other references, and with the object's name if that is the same. */
  #reference(owner: OwnerReference | undefined, name: string | undefined): OwnerReference | undefined {
    if (owner === undefined) return undefined
    const { apiVersion, kind, uid } = owner
    return {
      apiVersion: this.#texts.get(apiVersion, apiVersion),
      kind: this.#texts.get(kind, kind),
      name: owner.name === name ? name : owner.name,
      uid,
    }
  }
}

function conditionsOf(object: KubernetesObject): readonly Condition[] {
  const { conditions } = (object as { readonly status?: { readonly conditions?: unknown } }).status ?? {}
  if (!Array.isArray(conditions)) return []
  return (conditions as readonly Condition[]).map(({ type, status, lastTransitionTime }) => ({
    type,
    status,
    lastTransitionTime,
  }))
}

/** The part of an applied object that makes the key that applies it run when it changes. */
export function applyState({ metadata, controller, owned }: AppliedObject): unknown {
  return [metadata.uid, metadata.deletionTimestamp ?? '', controller?.uid ?? '', owned ?? null]
}
