import type { DeclaredHealth } from '../program/declaration.ts'
import { type Deployed, labelsOf } from './deployed.ts'
import { webhookPort } from './webhook-details.ts'

/** The Deployment of an operator, or the StatefulSet if its processes have numbers: without root, with a read-only file system, and with the maximum time that an operator needs to end. */
export function deployment(deployed: Deployed): object {
  const { name, namespace, image, processes, health, webhooks } = deployed
  const labels = labelsOf(name)
  const ports = [
    ...(health ? [{ name: 'health', containerPort: health.port }] : []),
    ...(webhooks ? [{ name: webhookPort, containerPort: webhooks.port }] : []),
  ]
  return {
    apiVersion: 'apps/v1',
    kind: processes === undefined ? 'Deployment' : 'StatefulSet',
    metadata: { name, namespace, labels },
    spec: {
      ...replicas(deployed),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          // Reconciles have 30 s to end, the last events and the lease 5 s each.
          terminationGracePeriodSeconds: 45,
          ...(replicas(deployed).replicas > 1 && { topologySpreadConstraints: [spread(name)] }),
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'operator',
              image,
              // An image that was built on this machine may be in no registry. Name another tag for each release: --image.
              imagePullPolicy: 'IfNotPresent',
              env: [
                { name: 'NODE_ENV', value: 'production' },
                // Otherwise V8's young generation grows to 48 MB without a benefit, because an operator keeps nearly all parsed objects.
                { name: 'NODE_OPTIONS', value: '--max-semi-space-size=4' },
              ],
              ...(ports.length > 0 && { ports }),
              ...(health && probes(health)),
              resources: { requests: { cpu: '10m', memory: '96Mi' }, limits: { memory: '256Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    },
  }
}

function probes({ tls }: DeclaredHealth): object {
  const get = (path: string): object => ({ path, port: 'health', ...(tls && { scheme: 'HTTPS' }) })
  return {
    // If the event loop does not answer for a minute, the process does not recover.
    livenessProbe: { httpGet: get('/healthz'), periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { httpGet: get('/readyz'), periodSeconds: 5 },
  }
}

/** Spreads the replicas over nodes if possible, so that the loss of a node ends only one replica. */
function spread(name: string): object {
  const labelSelector = { matchLabels: labelsOf(name) }
  return { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', labelSelector }
}

/**
 * The number of replicas and how they are replaced. Processes that share the objects by their uids have a fixed number, and start together. Without a
 * leader, two replicas would both write, so there is only one, unless the operator has webhooks without which the API server refuses requests. Of two
 * replicas with webhooks, one ends only when another is ready.
 */
function replicas({ name, leader, processes, webhooks }: Deployed): {
  readonly replicas: number
  readonly [field: string]: unknown
} {
  if (processes !== undefined) return { replicas: processes, serviceName: name, podManagementPolicy: 'Parallel' }
  if (!leader && !webhooks?.fails) return { replicas: 1, strategy: { type: 'Recreate' } }
  if (webhooks === undefined) return { replicas: 2 }
  return { replicas: 2, strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } } }
}
