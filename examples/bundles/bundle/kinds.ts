import type { KubernetesObject, Resource, View } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { deployments } from '@wherry/client/resources/apps'
import { configMaps, namespaces, secrets, serviceAccounts, services } from '@wherry/client/resources/core'
import { podDisruptionBudgets } from '@wherry/client/resources/policy'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '@wherry/client/resources/rbac'
import { priorityClasses } from '@wherry/client/resources/scheduling'
import { BundleError } from './errors.ts'
import type { Manifest } from './manifests.ts'

/** What can be installed, in the order in which it is. What is removed goes in the reverse order. */
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

/** The view of all objects of a kind. @throws BundleError for a kind that is not installed by bundles */
export function viewOf({ apiVersion, kind, metadata: { name } }: Manifest): Resource<KubernetesObject> {
  const view = byText.get(`${apiVersion} ${kind}`)
  if (view !== undefined) return view
  throw new BundleError('UnsupportedKind', `${kind} ${name} is of ${apiVersion}, which bundles may not install`)
}

/** Orders what is to be installed by kind, then by name. */
export function inOrder(a: Manifest, b: Manifest): number {
  const [one, other] = [a, b].map(({ apiVersion, kind }) => orderOf.get(`${apiVersion} ${kind}`) ?? 0) as [
    number,
    number,
  ]
  return one - other || (a.metadata.name < b.metadata.name ? -1 : 1)
}
