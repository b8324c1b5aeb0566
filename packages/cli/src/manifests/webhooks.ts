import { type Deployed, labelsOf } from './deployed.ts'
import { webhookPort } from './webhook-details.ts'

/**
 * The objects that webhooks need in a cluster: the Service that the API server calls, a disruption budget for the replicas, and the configurations of the
 * manifest.
 */
export function webhookDocuments({ name, namespace, webhooks }: Deployed): readonly object[] {
  if (webhooks === undefined) return []
  const { service, address, fails, configurations } = webhooks
  const labels = labelsOf(name)
  const ports = [{ name: webhookPort, port: service.port, targetPort: webhookPort }]
  return [
    ...(address === undefined
      ? [
          {
            ...{ apiVersion: 'v1', kind: 'Service' },
            metadata: { name: service.name, namespace: service.namespace, labels },
            spec: { selector: labels, ports },
          },
        ]
      : []),
    ...(fails
      ? [
          {
            ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name, namespace, labels } },
            spec: { minAvailable: 1, selector: { matchLabels: labels } },
          },
        ]
      : []),
    // Last, because the Service that they name must exist before.
    ...configurations,
  ]
}

/**
 * The comment about the order of deletions. Definitions are deleted while the Pods run, because the Pods convert objects. Configurations are deleted after
 * the Pods, because a running operator applies them again; until then their requests are refused.
 */
export function uninstallComment({ name, namespace, webhooks }: Deployed): string {
  if (webhooks === undefined) return ''
  const { configured, conversions } = webhooks
  return [
    '# To uninstall, in this order:',
    ...conversions.map(({ definition }) => `#   kubectl delete crd ${definition}  (and all of its objects)`),
    ...(configured.length === 0
      ? []
      : [
          `#   kubectl delete --ignore-not-found --namespace ${namespace} deployment ${name}`,
          `#   kubectl delete --ignore-not-found ${configured.join(' ')}  (until then its requests are refused)`,
        ]),
    '#   kubectl delete --ignore-not-found -k .',
    '',
  ].join('\n')
}
