import type { Deployment } from '@wherry/client/resources/apps'
import type { ConfigMap } from '@wherry/client/resources/core'

/** A ConfigMap of about 1 KB. The keys of all are the same, or each has ten of its own. */
export function configMapFor(name: string, isDistinct: boolean): ConfigMap {
  const filler = `${name} `.repeat(14)
  const keys = isDistinct
    ? Array.from({ length: 10 }, (_, i) => `${name}-${i}`)
    : Array.from({ length: 10 }, (_, i) => `key-${i}`)
  return {
    metadata: { name, labels: { app: name === 'warm' ? name : 'bench' } },
    data: Object.fromEntries(keys.map(key => [key, filler])),
  }
}

/** An ordinary Deployment of one container. */
export function deploymentFor(name: string): Deployment {
  const labels = { app: name }
  return {
    metadata: { name, labels: { app: name === 'warm' ? name : 'bench' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'example.com/web:1.2.3',
              ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
              env: [
                { name: 'NAME', value: name },
                { name: 'LEVEL', value: 'info' },
              ],
              resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
            },
          ],
        },
      },
    },
  }
}
