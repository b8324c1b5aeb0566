import { merge, post, put, quietly, type Scenario } from '../scenario.ts'

const pods = '/api/v1/namespaces/{ns}/pods'
const pod = (name: string, spec: Record<string, unknown> = {}): Record<string, unknown> => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})
const exists = (key: string, more: object = {}): object => ({ key, operator: 'Exists', ...more })
const status = (podIPs: readonly string[]): object => ({ status: { podIPs: podIPs.map(ip => ({ ip })) } })

/** The classes that Pods name, and the addresses in their status. */
export const podClassScenarios: readonly Scenario[] = [
  {
    name: 'what a PriorityClass gives to a Pod',
    steps: [
      quietly(
        post('/apis/scheduling.k8s.io/v1/priorityclasses', {
          ...{ metadata: { name: '{ns}-high' }, value: 7, preemptionPolicy: 'Never' },
        }),
      ),
      post(pods, pod('a', { priorityClassName: '{ns}-high' })),
      post(pods, pod('b', { priorityClassName: '{ns}-high', priority: 7, preemptionPolicy: 'Never' })),
      post(pods, pod('c', { priorityClassName: '{ns}-high', priority: 8 })),
      post(pods, pod('c', { priorityClassName: '{ns}-high', preemptionPolicy: 'PreemptLowerPriority' })),
      post(pods, pod('d', { priorityClassName: 'system-node-critical' })),
      post(pods, pod('e', { priorityClassName: 'none' })),
      post(pods, pod('e', { priorityClassName: 'A_b' })),
      post(pods, { ...pod('e', { priorityClassName: 'none' }), metadata: { generateName: 'e-' } }),
      put(`${pods}/a`, pod('a', { priorityClassName: '{ns}-high' })),
      put(`${pods}/a`, pod('a', { priorityClassName: 'system-node-critical' })),
    ],
  },
  {
    name: 'what a RuntimeClass gives to a Pod',
    steps: [
      quietly(
        post('/apis/node.k8s.io/v1/runtimeclasses', {
          ...{ metadata: { name: '{ns}-kata' }, handler: 'kata', overhead: { podFixed: { cpu: '100m' } } },
          scheduling: { nodeSelector: { a: 'b' }, tolerations: [exists('k')] },
        }),
      ),
      quietly(post('/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: '{ns}-plain' }, handler: 'plain' })),
      post(pods, pod('a', { runtimeClassName: '{ns}-kata', tolerations: [exists('x')] })),
      post(
        pods,
        pod('b', { runtimeClassName: '{ns}-kata', nodeSelector: { a: 'b', c: 'd' }, overhead: { cpu: '0.1' } }),
      ),
      post(pods, pod('c', { runtimeClassName: '{ns}-kata', tolerations: [exists('k')] })),
      post(pods, pod('d', { runtimeClassName: '{ns}-kata', nodeSelector: { a: 'c' } })),
      post(pods, pod('d', { runtimeClassName: '{ns}-kata', overhead: { cpu: '2' } })),
      post(pods, pod('d', { runtimeClassName: '{ns}-plain', overhead: { cpu: '2' } })),
      post(pods, pod('d', { runtimeClassName: 'none' })),
      post(pods, pod('d', { runtimeClassName: 'none', priorityClassName: 'none' })),
      post(pods, pod('e', { runtimeClassName: '{ns}-plain' })),
    ],
  },
  {
    name: 'the addresses in the status of a Pod',
    steps: [
      quietly(post(pods, pod('a'))),
      ...[
        ['10.0.0.1', 'fd00::1'],
        ['no'],
        ['10.0.0.1', '10.0.0.2'],
        ['10.0.0.1', 'fd00::1', 'fd00::2'],
        ['10.0.0.1', 'no'],
        ['010.0.0.1'],
      ].map(podIPs => merge(`${pods}/a/status`, status(podIPs))),
      merge(`${pods}/a/status`, { status: { podIP: 'no' } }),
    ],
  },
]
