import type { KubernetesObject } from '@wherry/client'
import { entries, text } from './text.ts'

/** How large a pod is. */
export interface PodShape {
  readonly labels: number
  readonly annotations: number
  readonly containers: number
  /** Characters of each annotation. */
  readonly annotationLength: number
  /** Characters of environment in each container. */
  readonly environment: number
}

/** A pod that nothing runs: it has no node, and is pending. */
export function inertPod(namespace: string, index: number, shape: PodShape): KubernetesObject {
  const { labels, annotations, containers, annotationLength, environment } = shape
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `inert-${index}`,
      namespace,
      labels: entries('label', labels, 12, index),
      annotations: entries('example.com/annotation', annotations, annotationLength, index),
    },
    spec: {
      containers: Array.from({ length: containers }, (_, i) => ({
        name: `c-${i}`,
        image: `registry.example.com/apps/app-${i}:1.${index % 40}.0`,
        env: [{ name: 'SETTINGS', value: text(environment, index * containers + i) }],
        resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
      })),
    },
  } as KubernetesObject
}
