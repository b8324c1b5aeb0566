import { yamlText } from '@wherry/crd/internal'
import type { DeclaredHealth } from '../program/declaration.ts'
import { rolesYaml } from '../rbac/role-yaml.ts'
import type { NeededRole } from '../rbac/roles.ts'
import { type Deployed, labelsOf } from './deployed.ts'
import { deployment } from './deployment.ts'
import { networkPolicy } from './network-policy.ts'
import type { ConversionStanza } from './webhook-details.ts'
import { uninstallComment, webhookDocuments } from './webhooks.ts'

/** All manifests of an operator as one YAML text, in the order in which they are applied. The same input gives the same text. */
export function manifestsYaml(deployed: Deployed): string {
  const { name, namespace, roles, health, hasServiceMonitor, hasNetworkPolicy } = deployed
  const labels = labelsOf(name)
  const metadata = { name, namespace, labels }
  const documents = [
    yamlText({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: restricted } }),
    yamlText({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }),
    ...(roles.length === 0 ? [] : [rolesYaml(roles, name)]),
    ...roles.map(role => yamlText(binding(role, deployed))),
    ...(health?.tokenReview ? [yamlText(metricsReader(name))] : []),
    yamlText(deployment(deployed)),
    ...(health?.metrics ? [yamlText(metricsService(deployed))] : []),
    ...(health?.metrics && hasServiceMonitor ? [yamlText(serviceMonitor(deployed, health))] : []),
    ...webhookDocuments(deployed).map(one => yamlText(one)),
    ...(hasNetworkPolicy ? [yamlText(networkPolicy(deployed))] : []),
  ]
  const head = `# wherry manifests writes this file. Change it by an overlay, which stays yours.\n${uninstallComment(deployed)}`
  return `${head}${documents.join('---\n')}`
}

/** A kustomization of files in its folder, with patches for the conversions of definitions. */
export function kustomizationYaml(files: readonly string[], conversions: readonly ConversionStanza[] = []): string {
  const patches = conversions.map(({ definition, conversion }) => ({
    target: { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition', name: definition },
    patch: yamlText([{ op: 'add', path: '/spec/conversion', value: conversion }]),
  }))
  return yamlText({
    ...{ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources: files },
    ...(patches.length > 0 && { patches }),
  })
}

/** The Pods of the Deployment meet the strictest of the Pod Security Standards. */
const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' }

const rbac = 'rbac.authorization.k8s.io'

function binding(role: NeededRole, { name, namespace }: Deployed): object {
  const prefix = role.namespace === '' ? 'Cluster' : ''
  return {
    apiVersion: `${rbac}/v1`,
    kind: `${prefix}RoleBinding`,
    metadata: role.namespace === '' ? { name } : { name, namespace: role.namespace },
    roleRef: { apiGroup: rbac, kind: `${prefix}Role`, name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  }
}

/** The role for reading the metrics. The user binds it to Prometheus' ServiceAccount. */
function metricsReader(name: string): object {
  return {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: `${name}-metrics-reader` },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  }
}

function metricsService({ name, namespace, health }: Deployed): object {
  const labels = labelsOf(name)
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `${name}-metrics`, namespace, labels },
    spec: { selector: labels, ports: [{ name: 'metrics', port: health?.port, targetPort: 'health' }] },
  }
}

function serviceMonitor({ name, namespace }: Deployed, { tls, tokenReview }: DeclaredHealth): object {
  const labels = labelsOf(name)
  const token = '/var/run/secrets/kubernetes.io/serviceaccount/token'
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      endpoints: [
        {
          port: 'metrics',
          ...(tls && { scheme: 'https' }),
          ...(tokenReview && { bearerTokenFile: token }),
        },
      ],
    },
  }
}
