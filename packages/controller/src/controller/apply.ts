import {
  type Client,
  type KubernetesObject,
  keyText,
  OptionRangeError,
  OptionTypeError,
  type Scope,
  type View,
  type Whole,
} from '@wherry/client'
import {
  type Applied,
  type ApplyIfChangedOptions,
  applyIfChanged,
  hashParts,
  type PartHashes,
  type Parts,
  parts,
  specPart,
  statusPart,
} from '@wherry/hash-compare/compare'
import { type OwnerOptions, ownerReference, withOwner } from '../objects/owner.ts'
import type { Read } from '../reads/read.ts'
import type { DesiredOptions } from './context.ts'
import { ChangedMeanwhileError } from './errors.ts'

/** What a desired state became on the server: a later one that is equal needs no write while the object is still so. */
export interface Learned {
  readonly wanted: string
  readonly held: string
}

/** For whom objects are made as desired. */
export interface ApplyFor {
  readonly client: Client
  /** The view of the primary object, and who it is. */
  readonly primary: View
  readonly owner: KubernetesObject
  readonly signal: AbortSignal
  /** What the reconcile reads through. */
  readonly read: Read
  /** By object; lives as long as the primary object. */
  learned(): Map<string, Learned>
}

type PartName = 'spec' | 'status' | 'owner'

/** How often it is looked again at an object that somebody else changes meanwhile. */
const mostPasses = 3

/** What `apply` of a reconcile's context does: see there. */
export async function applyDesired<T extends KubernetesObject, S extends Scope>(
  about: ApplyFor,
  view: View<T, S>,
  desired: Whole<T>,
  options: DesiredOptions = {},
): Promise<Applied<T>> {
  if (desired === null || typeof desired !== 'object') {
    throw new OptionTypeError('apply.desired', 'an object', typeof desired)
  }
  const { owner = true, ...rest } = options
  const placed = place(about, view as unknown as View, desired)
  const compared = partsOf(placed.object, owner === false ? undefined : about.owner.metadata?.uid)
  const hashOf = (object: KubernetesObject): string => textOf(hashParts(object, compared))
  const key = { name: placed.name, ...(placed.namespace !== undefined && { namespace: placed.namespace }) }
  for (let pass = 1; ; pass++) {
    const observed = await about.read.peek(view, key)
    const owned = owner === false ? undefined : ownedBy(about, placed.namespace, observed, placed.object, owner)
    const object = owned === undefined ? placed.object : withMetadata(placed.object, { ownerReferences: owned })
    const settings = { ...rest, signal: rest.signal ?? about.signal }
    const applied = await applyOnce(about, view, object as Whole<T>, observed, compared, settings)
    // Tracked is what was compared, after the write: what this wrote is no news for this run, what others do is. The run before
    // may have read what was there until now; for that the key runs once more, and changes nothing.
    const there = await about.read.get(view, key, { select: hashOf })
    const expected = applied.object ?? observed
    if (there === (expected === undefined ? undefined : hashOf(expected))) return applied
    if (pass === mostPasses) throw new ChangedMeanwhileError(view.key, keyText(key))
  }
}

/** Does what `applyIfChanged` does, unless it is known that the server makes the same of it again. */
async function applyOnce<T extends KubernetesObject, S extends Scope>(
  about: ApplyFor,
  view: View<T, S>,
  desired: Whole<T>,
  observed: T | undefined,
  compared: Parts<KubernetesObject, PartName>,
  options: ApplyIfChangedOptions,
): Promise<Applied<T>> {
  const id = `${view.key} ${keyText(desired.metadata as { readonly name: string })}`
  const wanted = textOf(hashParts<KubernetesObject, PartName>(desired, compared))
  const known = about.learned().get(id)
  if (observed !== undefined && known?.wanted === wanted && known.held === textOf(hashParts(observed, compared))) {
    return { reason: 'equal', differences: [], writes: [], object: undefined, remaining: [] }
  }
  const applied = await applyIfChanged(about.client, view, desired, observed, compared, options)
  if (applied.object !== undefined && applied.remaining.length > 0) {
    about.learned().set(id, { wanted, held: textOf(hashParts(applied.object, compared)) })
  } else if (known !== undefined) about.learned().delete(id)
  return applied
}

interface Placed {
  readonly object: KubernetesObject
  readonly name: string
  readonly namespace: string | undefined
}

/** The desired object in its namespace, with the labels of its view. */
function place({ primary, owner }: ApplyFor, view: View, desired: KubernetesObject): Placed {
  const { metadata = {} } = desired
  const { name } = metadata
  if (typeof name !== 'string' || name === '') {
    throw new OptionTypeError('apply.desired.metadata.name', 'a name: what has none can not be compared', `${name}`)
  }
  const { namespaced, plural } = view.resource
  const only = view.namespaces?.length === 1 ? view.namespaces[0] : undefined
  const home = primary.resource.namespaced ? owner.metadata?.namespace : undefined
  const namespace = namespaced ? (metadata.namespace ?? only ?? home) : undefined
  if (namespaced && namespace === undefined) {
    throw new OptionTypeError(
      'apply.desired.metadata.namespace',
      `a namespace (${primary.resource.plural} have none)`,
      'none',
    )
  }
  if (!namespaced && metadata.namespace !== undefined) {
    throw new OptionRangeError('apply.desired.metadata.namespace', `nothing for ${plural}`, metadata.namespace)
  }
  if (namespace !== undefined && view.namespaces !== undefined && !view.namespaces.includes(namespace)) {
    throw new OptionRangeError('apply.desired.metadata.namespace', `one of ${view.namespaces.join(', ')}`, namespace)
  }
  const own = Object.fromEntries(
    view.labels.requirements.flatMap(({ key, operator, values }) =>
      operator === 'in' && values.length === 1 ? [[key, values[0] as string]] : [],
    ),
  )
  const labels = { ...own, ...metadata.labels }
  if (!view.labels.matches(labels)) {
    throw new OptionRangeError(
      'apply.desired.metadata.labels',
      `labels that the view selects (${view.labels})`,
      'others',
    )
  }
  const place = { ...(namespace !== undefined && { namespace }), ...(Object.keys(labels).length > 0 && { labels }) }
  return { object: withMetadata(desired, place), name, namespace }
}

function ownedBy(
  { primary, owner }: ApplyFor,
  namespace: string | undefined,
  observed: KubernetesObject | undefined,
  desired: KubernetesObject,
  options: boolean | OwnerOptions,
): ReturnType<typeof withOwner> {
  const reference = ownerReference(primary, owner, namespace, options === true || options === false ? {} : options)
  const wanted = desired.metadata?.ownerReferences ?? []
  const others = (observed?.metadata?.ownerReferences ?? []).filter(({ uid }) => !wanted.some(one => one.uid === uid))
  return withOwner([...others, ...wanted], reference)
}

/** What is compared: labels and annotations that are desired, the rest of the object, a status if one is desired, and whether it is owned. */
function partsOf(desired: KubernetesObject, owner: string | undefined): Parts<KubernetesObject, PartName> {
  const { labels = {}, annotations = {} } = desired.metadata ?? {}
  const hasStatus = (desired as { readonly status?: unknown }).status !== undefined
  const ownedBy = (object: KubernetesObject): unknown => {
    if (owner === undefined) return undefined
    const {
      apiVersion,
      kind,
      name,
      uid,
      controller = false,
    } = object.metadata?.ownerReferences?.find(({ uid }) => uid === owner) ?? {}
    return { apiVersion, kind, name, uid, controller }
  }
  return parts<KubernetesObject, PartName>({
    spec: specPart({ labels: Object.keys(labels), annotations: Object.keys(annotations) }),
    status: hasStatus ? statusPart : nothing,
    owner: ownedBy,
  })
}

/** What is another's to say. */
const nothing = { of: () => undefined }

function withMetadata(object: KubernetesObject, more: KubernetesObject['metadata']): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, ...more } }
}

function textOf({ spec, status, owner }: PartHashes<PartName>): string {
  return `${spec} ${status} ${owner}`
}
