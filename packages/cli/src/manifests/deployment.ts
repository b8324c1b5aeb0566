import type { DeclaredHealth } from '../program/declaration.ts'
import { type Deployed, labelsOf } from './deployed.ts'

/** The Deployment of an operator: no root, nothing writable, and as long to end as an operator takes at most. */
export function deployment({ name, namespace, image, leader, health }: Deployed): object {
  const labels = labelsOf(name)
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      // Without a leader two would both write.
      ...(leader ? { replicas: 2 } : { replicas: 1, strategy: { type: 'Recreate' } }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          // Reconciles have 30 s to end, the last events and the lease 5 s each.
          terminationGracePeriodSeconds: 45,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'operator',
              image,
              env: [{ name: 'NODE_ENV', value: 'production' }],
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

function probes({ port, tls }: DeclaredHealth): object {
  const get = (path: string): object => ({ path, port: 'health', ...(tls && { scheme: 'HTTPS' }) })
  return {
    ports: [{ name: 'health', containerPort: port }],
    // A process whose event loop does not answer for a minute does not come back.
    livenessProbe: { httpGet: get('/healthz'), periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { httpGet: get('/readyz'), periodSeconds: 5 },
  }
}
