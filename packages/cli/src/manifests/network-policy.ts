import { type Deployed, labelsOf } from './deployed.ts'

/**
 * A policy that allows connections only to the ports that the operator serves. It allows them from everywhere, because the address of an API server is not
 * known.
 */
export function networkPolicy({ name, namespace, health, webhooks }: Deployed): object {
  const labels = labelsOf(name)
  const ports = [health?.port, webhooks?.port].filter(port => port !== undefined)
  return {
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name, namespace, labels } },
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ['Ingress'],
      ingress: ports.length === 0 ? [] : [{ ports: ports.map(port => ({ protocol: 'TCP', port })) }],
    },
  }
}
