import {
  type Client,
  defineResource,
  isForbidden,
  isNotFound,
  isResourceNotFound,
  type KubernetesObject,
} from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'

/**
 * An object of a definition that is not the owner's, as `Board arcade/mine`; undefined if there is none, so that the definition may go. What can't be
 * listed counts as something: nobody knows.
 */
export async function objectOf(
  client: Client,
  { name, owner, signal }: { readonly name: string; readonly owner: string | undefined; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { spec, status } = (await client.get(customResourceDefinitions, { name }, { signal })) ?? {}
  // Of a definition that was never established there are no objects.
  const isEstablished = status?.conditions?.some(one => one.type === 'Established' && one.status === 'True')
  if (spec === undefined || isEstablished !== true) return undefined
  const { group, names, scope, versions } = spec
  const version = versions.find(({ served }) => served)?.name
  if (version === undefined) return `perhaps ${names.plural}, of which no version is served`
  const { kind, plural } = names
  const view = defineResource<KubernetesObject>({ group, version, kind, plural, namespaced: scope === 'Namespaced' })
  try {
    for await (const { items } of client.pages(view.metadata(), { signal })) {
      const found = items.find(({ metadata: { deletionTimestamp, ownerReferences = [] } }) => {
        return deletionTimestamp === undefined && !ownerReferences.some(({ uid }) => uid === owner)
      })
      if (found === undefined) continue
      const { namespace, name } = found.metadata
      return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
    }
  } catch (error) {
    if (isForbidden(error)) return `perhaps ${plural}, which this operator may not list`
    // A server that does not know the definition yet, or no longer, can't say.
    if (isResourceNotFound(error) || isNotFound(error)) return `perhaps ${plural}, which the server does not serve now`
    throw error
  }
  return undefined
}
