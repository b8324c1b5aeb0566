import type { KubernetesObject, Resource } from '@wherry/client'
import { daemonSets, deployments, statefulSets } from '@wherry/client/resources/apps'
import { horizontalPodAutoscalers } from '@wherry/client/resources/autoscaling'
import { cronJobs, jobs } from '@wherry/client/resources/batch'
import {
  configMaps,
  endpoints,
  limitRanges,
  namespaces,
  persistentVolumeClaims,
  pods,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
} from '@wherry/client/resources/core'
import { ingresses, networkPolicies } from '@wherry/client/resources/networking'
import { podDisruptionBudgets } from '@wherry/client/resources/policy'
import { clusterRoles, roleBindings, roles } from '@wherry/client/resources/rbac'

/** A desired object, as a user writes it. */
export interface Kind {
  readonly name: string
  readonly view: Resource<KubernetesObject>
  readonly desired: Readonly<Record<string, unknown>>
  /** What the server makes of it is what was sent. Else that is learned from one answer. */
  readonly isPlain: boolean
}

const metadata = { name: 'judged', namespace: 'default' }
const clusterWide = { name: 'judged' }
const labels = { app: 'web' }
const container = {
  name: 'web',
  image: 'web:1',
  ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }],
}
const env = [
  { name: 'B', value: '1' },
  { name: 'A', value: '2' },
]
const initContainers = [
  { name: 'second', image: 'b' },
  { name: 'first', image: 'a' },
]
const template = { metadata: { labels }, spec: { initContainers, containers: [{ ...container, env }] } }
const once = { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x' }] } }

function kind(view: unknown, desired: Record<string, unknown>, isPlain = true): Kind {
  const resource = view as Resource<KubernetesObject>
  const place = resource.resource.namespaced ? metadata : clusterWide
  const own = desired.metadata as object | undefined
  return {
    name: resource.resource.kind,
    view: resource,
    desired: { ...desired, metadata: { ...place, ...own } },
    isPlain,
  }
}

/** What operators make, of 23 kinds. */
export const kinds: readonly Kind[] = [
  kind(configMaps, { metadata: { labels, annotations: { note: '' } }, data: { a: '1', b: '' } }),
  kind(secrets, { type: 'Opaque', data: { token: 'c2VjcmV0' } }),
  kind(serviceAccounts, { automountServiceAccountToken: false }),
  kind(services, {
    spec: {
      selector: labels,
      ports: [
        { name: 'http', port: 80 },
        { name: 'dns', port: 80, protocol: 'UDP' },
      ],
    },
  }),
  kind(endpoints, { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80, protocol: 'TCP' }] }] }),
  kind(limitRanges, { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } }),
  kind(resourceQuotas, { spec: { hard: { pods: '10' } } }),
  kind(pods, { spec: { containers: [container], initContainers: [] } }),
  kind(persistentVolumeClaims, {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  kind(deployments, { spec: { selector: { matchLabels: labels }, template } }),
  kind(statefulSets, { spec: { serviceName: 'web', selector: { matchLabels: labels }, template } }),
  kind(daemonSets, { spec: { selector: { matchLabels: labels }, template } }),
  kind(jobs, { spec: { template: once } }),
  kind(cronJobs, { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: once } } } }),
  kind(horizontalPodAutoscalers, {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
  }),
  kind(ingresses, {
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  }),
  kind(
    networkPolicies,
    { spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector: {} }] }] } },
    true,
  ),
  kind(podDisruptionBudgets, { spec: { minAvailable: 1, selector: { matchLabels: labels } } }),
  kind(roles, { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
  kind(clusterRoles, { rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list', 'get'] }] }),
  kind(roleBindings, {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'judged' },
    subjects: [{ kind: 'ServiceAccount', name: 'judged', namespace: 'default' }],
  }),
  kind(namespaces, { metadata: { labels } }),
  // Quantities are written in another way by the server.
  kind(
    deployments,
    {
      metadata: { name: 'quantities' },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'x', image: 'x', resources: { limits: { cpu: '1000m', memory: '0.5Gi' } } }] },
        },
      },
    },
    false,
  ),
]
