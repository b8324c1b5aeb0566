import { type Client, defineResource, type KubernetesObject, type Resource, type View } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { deployments } from '@wherry/client/resources/apps'
import { configMaps, namespaces, secrets, serviceAccounts, services } from '@wherry/client/resources/core'
import { podDisruptionBudgets } from '@wherry/client/resources/policy'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '@wherry/client/resources/rbac'
import { priorityClasses } from '@wherry/client/resources/scheduling'
import { BundleError } from './errors.ts'
import type { Manifest } from './manifests.ts'

/** The kinds that can be installed, in the order of installation. They are removed in the reverse order. */
const kinds = [
  namespaces,
  customResourceDefinitions,
  priorityClasses,
  serviceAccounts,
  secrets,
  configMaps,
  clusterRoles,
  roles,
  clusterRoleBindings,
  roleBindings,
  services,
  podDisruptionBudgets,
  deployments,
] as unknown as readonly Resource<KubernetesObject>[]

const byText = new Map(kinds.map(view => [textOf(view), view]))
const orderOf = new Map(kinds.map((view, index) => [textOf(view), index]))

/** `apps/v1 Deployment` */
export function textOf({ resource: { group, version, kind } }: Pick<View, 'resource'>): string {
  return `${group === '' ? version : `${group}/${version}`} ${kind}`
}

/**
 * Groups of Kubernetes itself. Of these, only the kinds above are installed: what others do, webhooks above all, this program can't answer for. Kinds of
 * other groups, such as ServiceMonitor, are looked for on the server when they are applied.
 */
const builtIn =
  /^([^.]*|(admissionregistration|apiextensions|apiregistration|authentication|authorization|certificates|coordination|discovery|events|flowcontrol\.apiserver|internal\.apiserver|networking|node|rbac\.authorization|resource|scheduling|storage|storagemigration)\.k8s\.io)$/

/** The view of all objects of a kind that bundles may install; undefined for a kind that only the server knows. @throws BundleError for other kinds */
export function viewOf({ apiVersion, kind, metadata: { name } }: Manifest): Resource<KubernetesObject> | undefined {
  const view = byText.get(`${apiVersion} ${kind}`)
  if (view !== undefined) return view
  if (!builtIn.test(groupOf(apiVersion))) return undefined
  throw new BundleError('UnsupportedKind', `${kind} ${name} is of ${apiVersion}, which bundles may not install`)
}

/** The same, as the server has it now; undefined if it does not serve such a kind. */
export async function servedViewOf(
  client: Client,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<Resource<KubernetesObject> | undefined> {
  const view = viewOf(manifest)
  if (view !== undefined) return view
  const { apiVersion, kind } = manifest
  const group = groupOf(apiVersion)
  const found = await client.discover({ group, version: apiVersion.slice(group.length + 1), kind }, { signal })
  return found && defineResource<KubernetesObject>(found)
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
}

/** Orders manifests by kind, then by name. Kinds that only the server knows come last. */
export function inOrder(a: Manifest, b: Manifest): number {
  const [one, other] = [a, b].map(({ apiVersion, kind }) => orderOf.get(`${apiVersion} ${kind}`) ?? kinds.length) as [
    number,
    number,
  ]
  return one - other || (a.metadata.name < b.metadata.name ? -1 : 1)
}
