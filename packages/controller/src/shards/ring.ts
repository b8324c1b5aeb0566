import {
  type Client,
  defineResource,
  isForbidden,
  isNotFound,
  isResourceNotFound,
  type KubernetesObject,
  type Resource,
  type ResourceType,
} from '@wherry/client'
import { asError, resourceName, sleep } from '@wherry/client/internal'
import { UsageError } from '../usage-error.ts'
import { ringGroup, ringPlural } from './ring-names.ts'

/** A resource as a ring names it; without `group` it is of the core group. */
interface GroupResource {
  readonly group?: string | undefined
  readonly resource: string
}

/** A resource of objects that the ring assigns, and the resources of the objects that they control. */
interface RingResource extends GroupResource {
  readonly controlledResources?: readonly GroupResource[] | undefined
}

/** A `ControllerRing` of kubernetes-controller-sharding. */
export interface ControllerRing extends KubernetesObject {
  readonly spec?: { readonly resources?: readonly RingResource[] | undefined } | undefined
}

export const controllerRings: Resource<ControllerRing, 'cluster'> = defineResource<ControllerRing>({
  group: ringGroup,
  version: 'v1alpha1',
  kind: 'ControllerRing',
  plural: ringPlural,
  namespaced: false,
})

/** The resources of a ring. */
export class RingResources {
  readonly #ring: string
  readonly #resources: readonly RingResource[]

  constructor(ring: ControllerRing) {
    this.#ring = ring.metadata?.name ?? ''
    this.#resources = ring.spec?.resources ?? []
  }

  /** @throws UsageError if the ring does not assign objects of the resource */
  mustHave(resource: ResourceType, controller: string): void {
    if (this.#find(resource) !== undefined) return
    const listed = this.#resources.map(({ group = '', resource }) => (group === '' ? resource : `${resource}.${group}`))
    throw new UsageError(
      'NOT_IN_RING',
      `the ring ${this.#ring} does not list ${textOf(resource)}, the primary objects of the controller ${controller}: add it to spec.resources of the ControllerRing, which has ${listed.join(', ') || 'none'}`,
    )
  }

  /** Whether the ring assigns the objects of a resource together with the primary objects that control them. */
  controls(primary: ResourceType, resource: ResourceType): boolean {
    return this.#find(primary)?.controlledResources?.some(one => isSame(one, resource)) === true
  }

  #find(resource: ResourceType): RingResource | undefined {
    return this.#resources.find(one => isSame(one, resource))
  }
}

/**
 * Reads a ring. Tries again after an error that may pass.
 * @throws UsageError if the ring does not exist, or may not be read
 */
export async function readRing(
  client: Client,
  name: string,
  retryMs: number,
  signal: AbortSignal,
): Promise<RingResources> {
  const { clock, onError } = client.environment
  for (;;) {
    try {
      const ring = await client.get(controllerRings, { name }, { signal })
      if (ring !== undefined) return new RingResources(ring)
      throw new UsageError('NO_RING', `there is no ControllerRing ${name}: create it, with the resources to share`)
    } catch (error) {
      if (error instanceof UsageError) throw error
      signal.throwIfAborted()
      const why = whyNot(error)
      if (why !== undefined) throw new UsageError('NO_RING', `the ControllerRing ${name} ${why}`)
      onError(asError(error), { phase: 'shards', resource: resourceName(controllerRings.resource), key: name })
      await sleep(clock, retryMs, signal)
    }
  }
}

/** What must be done before a ring can be read; `undefined` for an error that may pass. */
function whyNot(error: unknown): string | undefined {
  if (isForbidden(error)) return 'may not be read by this operator: grant it the right to get it'
  if (!isResourceNotFound(error) && !isNotFound(error)) return undefined
  return 'is of a resource that the cluster does not know: install kubernetes-controller-sharding, and create the ring'
}

function isSame(one: GroupResource, { group, plural }: ResourceType): boolean {
  return one.resource === plural && (one.group ?? '') === group
}

function textOf({ group, plural }: ResourceType): string {
  return group === '' ? plural : `${plural}.${group}`
}
