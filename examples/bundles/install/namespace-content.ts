import {
  type Client,
  defineResource,
  isForbidden,
  isNotFound,
  isResourceNotFound,
  type KubernetesObject,
} from '@wherry/client'

type DiscoveredResource = Awaited<ReturnType<Client['discoverAll']>>[number]

/** Nobody's: the cluster makes them by itself, and they say nothing that would be missed. */
const fleeting = new Set(['events', 'events.events.k8s.io', 'leases.coordination.k8s.io', 'endpoints'])
/** The cluster makes these in each namespace. */
const inEach = new Set([
  'serviceaccounts default',
  'configmaps kube-root-ca.crt',
  'configmaps openshift-service-ca.crt',
])
const tokenOf = 'kubernetes.io/service-account.name'

interface Asked {
  readonly namespace: string
  /** The uid of an owner: its objects do not count, nor what these own. */
  readonly owner: string | undefined
  /** Definitions that are being deleted: `boards.widgets.example.com`. Their objects go with them. */
  readonly going: ReadonlySet<string>
  readonly signal: AbortSignal
}

/**
 * Says what a namespace holds that is not of this owner: `ConfigMap mine`. Returns undefined if there is nothing. It asks for the objects
 * of each kind that the server has, and stops at the first that it finds. A kind that it may not list counts as something: nobody knows.
 */
export async function foreignIn(client: Client, asked: Asked): Promise<string | undefined> {
  const { namespace, owner, going, signal } = asked
  const all = await client.discoverAll({ signal })
  const clusterKinds = new Set(all.filter(({ namespaced }) => !namespaced).map(({ group, kind }) => `${group} ${kind}`))
  const isForeign = (resource: string, { metadata }: KubernetesObject): boolean => {
    const { name, ownerReferences = [], annotations, deletionTimestamp } = metadata ?? {}
    if (deletionTimestamp !== undefined || inEach.has(`${resource} ${name}`)) return false
    if (resource === 'secrets' && annotations?.[tokenOf] !== undefined) return false
    if (ownerReferences.length === 0) return true
    if (ownerReferences.some(({ uid }) => uid === owner)) return false
    // An owner in this namespace counts by itself, and goes with all that it owns.
    return ownerReferences.some(({ apiVersion, kind }) => clusterKinds.has(`${groupOf(apiVersion)} ${kind}`))
  }
  for (const [resource, definition] of listed(all)) {
    if (going.has(resource)) continue
    const view = defineResource<KubernetesObject>(definition)
      .metadata()
      .within({ namespaces: [namespace] })
    try {
      for await (const { items } of client.pages(view, { signal })) {
        const found = items.find(one => isForeign(resource, one))
        if (found !== undefined) return `${definition.kind} ${found.metadata?.name}`
      }
    } catch (error) {
      if (isForbidden(error)) return `perhaps ${resource}, which this operator may not list`
      // Its definition has just gone.
      if (!isNotFound(error) && !isResourceNotFound(error)) throw error
    }
  }
  return undefined
}

/** What can be listed in a namespace, and deleted, by `plural.group`; of several versions the one that the server prefers. */
function listed(all: readonly DiscoveredResource[]): ReadonlyMap<string, DiscoveredResource> {
  const found = new Map<string, DiscoveredResource>()
  for (const one of all) {
    const name = one.group === '' ? one.plural : `${one.plural}.${one.group}`
    const isKept = one.namespaced && one.verbs.includes('list') && one.verbs.includes('delete')
    if (isKept && !fleeting.has(name) && !found.has(name)) found.set(name, one)
  }
  return found
}

function groupOf(apiVersion: string): string {
  const [group = '', version] = apiVersion.split('/')
  return version === undefined ? '' : group
}
