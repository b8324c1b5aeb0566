import { createHash } from 'node:crypto'
import { BundleError } from './errors.ts'
import { inOrder, viewOf } from './kinds.ts'
import type { Bundle, ClusterServiceVersion, Manifest, Permissions } from './manifests.ts'

/**
 * The plain manifests that a bundle stands for, for one namespace, in the order in which they are to be applied: definitions, accounts and
 * their rights, what else it has, Deployments. The operator of the bundle watches all namespaces.
 *
 * @throws BundleError for a bundle that can't be installed so. Then it has a reason, and there is nothing to apply.
 */
export function convert({ csv, others }: Bundle, namespace: string): readonly Manifest[] {
  const { apiservicedefinitions, install } = csv.spec
  const installModes = csv.spec.installModes ?? []
  const { name } = csv.metadata
  if (!installModes.some(({ type, supported }) => type === 'AllNamespaces' && supported)) {
    const supported = installModes.filter(mode => mode.supported).map(({ type }) => type)
    const modes = supported.length === 0 ? 'no install mode' : `only ${supported.join(', ')}`
    throw new BundleError('UnsupportedInstallMode', `${name} supports ${modes}, and AllNamespaces is needed`)
  }
  if ((csv.spec.webhookdefinitions?.length ?? 0) > 0 || (apiservicedefinitions?.owned?.length ?? 0) > 0) {
    throw new BundleError(
      'NeedsWebhooks',
      `${name} has webhooks or API services, and nobody would make their certificates`,
    )
  }
  const converted = others.find(
    one => one.kind === 'CustomResourceDefinition' && (one as Definition).spec?.conversion?.strategy === 'Webhook',
  )
  if (converted !== undefined) {
    const message = `${idOf(converted)} is converted by a webhook, and nobody would make its certificate`
    throw new BundleError('NeedsWebhooks', message)
  }
  if (install?.strategy !== 'deployment') {
    throw new BundleError('InvalidManifest', `${name} has the install strategy ${install?.strategy ?? 'none'}`)
  }
  const permissions = install.spec?.permissions ?? []
  const clusterPermissions = install.spec?.clusterPermissions ?? []
  const deployments = install.spec?.deployments ?? []
  const accounts = new Set([...permissions, ...clusterPermissions].map(({ serviceAccountName }) => serviceAccountName))
  const given = new Set(others.map(idOf))
  const all: Manifest[] = [
    // An account that the bundle has as a manifest, too, is as that says.
    ...[...accounts]
      .filter(account => account !== 'default')
      .map(account => serviceAccount(account))
      .filter(account => !given.has(idOf(account))),
    ...permissions.flatMap(of => rights(csv, of, 'Role', namespace)),
    ...clusterPermissions.flatMap(of => rights(csv, of, 'ClusterRole', namespace)),
    ...deployments.map(({ name, label, spec }) => object('apps/v1', 'Deployment', name, { spec }, label)),
    ...others,
  ]
  const manifests = all.map(one => placed(one, namespace)).sort(inOrder)
  const twice = manifests.find((one, i) => i > 0 && idOf(one) === idOf(manifests[i - 1] as Manifest))
  // Each would undo what the other says, for ever.
  if (twice !== undefined) throw new BundleError('InvalidManifest', `${name} has the ${idOf(twice)} twice`)
  return manifests
}

/** What of a CustomResourceDefinition is read here. */
interface Definition extends Manifest {
  readonly spec?: { readonly conversion?: { readonly strategy?: string | null } | null }
}

/** `Deployment game-operator` */
function idOf({ kind, metadata: { name } }: Manifest): string {
  return `${kind} ${name}`
}

/** Puts it into the namespace, or refuses it. What the server would fill in by itself is left out. */
function placed({ status: _, ...manifest }: Manifest & { status?: unknown }, namespace: string): Manifest {
  // Of a kind that only the server knows, it is known when it is applied whether it has namespaces.
  const { namespaced, kind } = viewOf(manifest)?.resource ?? { namespaced: true, kind: manifest.kind }
  const { creationTimestamp: __, namespace: own, ...metadata } = manifest.metadata
  if (own !== undefined && (!namespaced || own !== namespace)) {
    throw new BundleError('ForeignNamespace', `${idOf(manifest)} is for the namespace ${own}, and not for ${namespace}`)
  }
  if (kind === 'Namespace') {
    throw new BundleError('UnsupportedKind', `${idOf(manifest)}: a bundle makes no namespaces`)
  }
  return { ...manifest, metadata: { ...metadata, ...(namespaced && { namespace }) } }
}

function serviceAccount(name: string): Manifest {
  return object('v1', 'ServiceAccount', name, {})
}

/** A role and its binding. The names distinguish bundles and rules: roles of a cluster are in one pot. */
function rights(
  csv: ClusterServiceVersion,
  of: Permissions,
  kind: 'Role' | 'ClusterRole',
  namespace: string,
): Manifest[] {
  const { serviceAccountName: account, rules } = of
  const digest = createHash('sha256')
    .update(JSON.stringify([namespace, of]))
    .digest('hex')
    .slice(0, 10)
  const name = `${csv.metadata.name.slice(0, 40)}-${account.slice(0, 40)}-${digest}`.replace(/\.+-/g, '-')
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const subject = { kind: 'ServiceAccount', name: account, namespace }
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name }
  return [
    object(apiVersion, kind, name, { rules }),
    object(apiVersion, `${kind}Binding`, name, { roleRef, subjects: [subject] }),
  ]
}

function object(
  apiVersion: string,
  kind: string,
  name: string,
  rest: object,
  labels?: Readonly<Record<string, string>> | null | undefined,
): Manifest {
  return { apiVersion, kind, metadata: { name, ...(labels && { labels }) }, ...rest } as Manifest
}
