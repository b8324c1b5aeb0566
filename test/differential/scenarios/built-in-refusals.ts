import { merge, post, put, quietly, type Scenario, type Step } from '../scenario.ts'
import { rarerRefusals, rarerVariants, type Variants } from './rarer-refusals.ts'

const namespaced = (group: string, plural: string): string => `/apis/${group}/namespaces/{ns}/${plural}`
const rbac = 'rbac.authorization.k8s.io'
const none = undefined
const long = 'a'.repeat(64)

const container = {
  name: 'c',
  image: 'i',
  ports: [{ name: 'http', containerPort: 80 }],
  env: [{ name: 'E', value: 'x' }],
  volumeMounts: [{ name: 'v', mountPath: '/v' }],
  resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
  readinessProbe: { httpGet: { port: 80 } },
}
const podSpec = {
  containers: [container],
  initContainers: [{ name: 'i', image: 'i' }],
  volumes: [{ name: 'v', emptyDir: {} }],
  tolerations: [{ key: 'k', operator: 'Exists' }],
}
const template = { metadata: { labels: { app: 'a' } }, spec: podSpec }
const workload = { metadata: { name: 'a' }, spec: { selector: { matchLabels: { app: 'a' } }, template } }
const selector = { matchLabels: { app: 'a' } }
const badSelectors = [
  { matchLabels: { 'a b': 'c' } },
  { matchLabels: { app: 'a b' } },
  { matchExpressions: [{ key: 'app', operator: 'In', values: [] }] },
  { matchExpressions: [{ key: 'app', operator: 'Exists', values: ['a'] }] },
  { matchExpressions: [{ key: 'app', operator: 'Other' }] },
  { matchExpressions: [{ key: '', operator: 'Exists' }] },
  { matchExpressions: [{ key: 'app', operator: 'In', values: ['a b'] }] },
]

/** Changes of a Pod's spec that is at `at`. */
const ofPods = (at: string): readonly (readonly [string, unknown])[] =>
  (
    [
      ['containers', none],
      ['containers', []],
      ['containers.0.name', none],
      ['containers.0.name', 'A'],
      ['containers.0.name', 'i'],
      ['containers.0.name', long],
      ['containers.0.image', none],
      ['containers.0.imagePullPolicy', 'Other'],
      ['containers.0.terminationMessagePolicy', 'Other'],
      ['containers.1', { name: 'c', image: 'i' }],
      ['containers.0.ports.0.name', 'Http'],
      ['containers.0.ports.1', { name: 'http', containerPort: 81 }],
      ['containers.0.ports.0.containerPort', none],
      ['containers.0.ports.0.containerPort', 70_000],
      ['containers.0.ports.0.hostPort', 70_000],
      ['containers.0.ports.0.protocol', 'HTTP'],
      [
        'containers.0.ports',
        [
          { containerPort: 1, hostPort: 1 },
          { containerPort: 2, hostPort: 1 },
        ],
      ],
      ['containers.0.env.0.name', none],
      ['containers.0.env.0.name', 'a=b'],
      ['containers.0.env.0.valueFrom', {}],
      ['containers.0.env.0.valueFrom', { secretKeyRef: { name: 's', key: 'k' } }],
      ['containers.0.env.0', { name: 'E', valueFrom: { secretKeyRef: { name: 'S', key: '' } } }],
      ['containers.0.env.0', { name: 'E', valueFrom: { configMapKeyRef: { name: 's', key: 'a b' } } }],
      ['containers.0.env.0', { name: 'E', valueFrom: { fieldRef: { fieldPath: 'spec.other' } } }],
      ['containers.0.env.0', { name: 'E', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } }],
      ['containers.0.env.0', { name: 'E', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      [
        'containers.0.env.0',
        { name: 'E', valueFrom: { fieldRef: { fieldPath: 'status.podIP' }, secretKeyRef: { name: 's', key: 'k' } } },
      ],
      ['containers.0.envFrom', [{}]],
      ['containers.0.envFrom', [{ configMapRef: { name: '' } }]],
      ['containers.0.envFrom', [{ configMapRef: { name: 'A' } }]],
      ['containers.0.envFrom', [{ configMapRef: { name: 'a' }, secretRef: { name: 'a' } }]],
      ['containers.0.volumeMounts.0.name', 'w'],
      ['containers.0.volumeMounts.0.name', none],
      ['containers.0.volumeMounts.0.mountPath', none],
      ['containers.0.volumeMounts.1', { name: 'v', mountPath: '/v' }],
      ['containers.0.volumeMounts.0.subPath', '/abs'],
      ['containers.0.volumeMounts.0.subPath', 'a/../b'],
      ['containers.0.resources.limits', { cpu: '-1' }],
      ['containers.0.resources.limits', { cpu: '500m' }],
      ['containers.0.resources.limits', { pods: '1' }],
      ['containers.0.resources', { requests: { 'example.com/gpu': '1' } }],
      ['containers.0.resources', { limits: { 'example.com/gpu': '2' }, requests: { 'example.com/gpu': '1' } }],
      ['containers.0.readinessProbe', {}],
      ['containers.0.readinessProbe', { httpGet: { port: 0 } }],
      ['containers.0.readinessProbe', { httpGet: { port: 'a b' } }],
      ['containers.0.readinessProbe', { httpGet: { port: 80, scheme: 'FTP' } }],
      ['containers.0.readinessProbe', { httpGet: { port: 80 }, exec: { command: ['x'] } }],
      ['containers.0.readinessProbe', { exec: {} }],
      ['containers.0.readinessProbe', { tcpSocket: { port: 'x' } }],
      ['containers.0.readinessProbe', { grpc: { port: 0 } }],
      ['containers.0.readinessProbe.periodSeconds', -1],
      ['containers.0.readinessProbe.terminationGracePeriodSeconds', 5],
      ['containers.0.livenessProbe', { httpGet: { port: 80 }, successThreshold: 2 }],
      ['containers.0.startupProbe', { httpGet: { port: 80 }, terminationGracePeriodSeconds: 0 }],
      ['containers.0.lifecycle', { preStop: {} }],
      ['initContainers.0.livenessProbe', { exec: { command: ['x'] } }],
      ['initContainers.0.restartPolicy', 'Always'],
      ['volumes.0.name', none],
      ['volumes.0.name', 'V'],
      ['volumes.1', { name: 'v', emptyDir: {} }],
      ['volumes.1', { name: 'w', secret: {} }],
      ['volumes.1', { name: 'w', secret: { secretName: 's', defaultMode: 1000 } }],
      ['volumes.1', { name: 'w', configMap: { items: [{ key: 'k', path: '../p' }] } }],
      ['volumes.1', { name: 'w', configMap: { name: 'c', items: [{}] } }],
      ['volumes.1', { name: 'w', configMap: { name: 'c' }, secret: { secretName: 's' } }],
      ['volumes.1', { name: 'w', persistentVolumeClaim: {} }],
      ['volumes.1', { name: 'w', hostPath: {} }],
      ['volumes.1', { name: 'w', hostPath: { path: '/a/../b' } }],
      ['volumes.1', { name: 'w', hostPath: { path: '/a', type: 'Other' } }],
      ['volumes.1', { name: 'w', nfs: { path: 'a' } }],
      ['volumes.1', { name: 'w', csi: {} }],
      ['dnsPolicy', 'Other'],
      ['nodeSelector', { 'a b': 'c' }],
      ['nodeSelector', { a: 'b c' }],
      ['serviceAccountName', 'A'],
      ['hostname', 'a.b'],
      ['subdomain', 'A'],
      ['priorityClassName', 'A'],
      ['tolerations.0.key', 'a b'],
      ['tolerations.0.key', none],
      ['tolerations.0.value', 'x'],
      ['tolerations.0.operator', 'Other'],
      ['tolerations.0.effect', 'Other'],
      ['tolerations.0.tolerationSeconds', 5],
      ['tolerations.0', {}],
      [
        'affinity',
        { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: selector }] } },
      ],
      ['affinity', { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } }],
      [
        'affinity',
        {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Near' }] }],
            },
          },
        },
      ],
      [
        'affinity',
        {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 0, podAffinityTerm: { topologyKey: 'zone', labelSelector: badSelectors[2] } },
            ],
          },
        },
      ],
      ['topologySpreadConstraints', [{}]],
      [
        'topologySpreadConstraints',
        [1, 2].map(() => ({ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' })),
      ],
      ['schedulingGates', [{ name: 'a b' }]],
    ] as const
  ).map(([path, value]) => [`${at}.${path}`, value])

/** Other fields of a Pod's spec that is at `at`. */
const ofRarerPods = (at: string): readonly (readonly [string, unknown])[] =>
  (
    [
      ...[
        ...[{ runAsUser: -1 }, { runAsGroup: -1 }, { fsGroup: -1 }, { supplementalGroups: [1, -1] }],
        ...[{ supplementalGroupsPolicy: 'Other' }, { fsGroupChangePolicy: '' }, { seLinuxChangePolicy: 'Other' }],
        { sysctls: ['kernel.x', 'kernel.x', '', 'A B', 'a/b'].map(name => ({ name, value: '1' })) },
      ].map(context => ['securityContext', context] as const),
      ...[{ procMount: 'Other' }, { procMount: 'Unmasked' }, { procMount: '' }].map(
        context => ['containers.0.securityContext', context] as const,
      ),
      ...['securityContext', 'containers.0.securityContext'].flatMap(path =>
        [
          { seccompProfile: { type: 'Localhost' } },
          { seccompProfile: { type: 'Localhost', localhostProfile: '../a' } },
          { seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a' } },
          { seccompProfile: {} },
          { appArmorProfile: { type: 'Localhost', localhostProfile: ' a' } },
          { appArmorProfile: { type: 'Unconfined', localhostProfile: 'a' } },
          { appArmorProfile: { type: 'Other' } },
          ...['', 'a\\b\\c', '\\', 'a.b\\..', '/a', 'a b'].map(runAsUserName => ({
            windowsOptions: { runAsUserName },
          })),
          { windowsOptions: { gmsaCredentialSpecName: 'A_', gmsaCredentialSpec: '' } },
          { windowsOptions: { hostProcess: true } },
        ].map(context => [path, context] as const),
      ),
      ['os', { name: 'Other' }],
      ['os', {}],
      [
        'dnsConfig',
        { nameservers: ['x', '10.0.0.1', '10.0.0.2', '10.0.0.3'], searches: ['A B', '_a.b.'], options: [{}] },
      ],
      ['dnsPolicy', 'None'],
      ['readinessGates', [{}]],
      ['schedulingGates', [{ name: 'a' }, { name: 'a' }]],
      ['preemptionPolicy', 'PreemptLowerPriority'],
      ['resourceClaims', [{ name: 'a' }, { name: 'A', resourceClaimName: 'A' }, { name: 'a', resourceClaimName: 'b' }]],
      ['resourceClaims', [{ name: 'a', resourceClaimName: 'b', resourceClaimTemplateName: 'c' }]],
      ['containers.0.resources.claims', [{ name: 'a' }, { name: 'a' }, {}]],
      ['containers.0.restartPolicyRules', [{ action: 'Other' }]],
      ['containers.0.restartPolicy', 'Other'],
      ['containers.0.resizePolicy', [{ resourceName: 'cpu', restartPolicy: 'Other' }, { resourceName: 'cpu' }, {}]],
      ['containers.0.volumeDevices', [{ name: 'v', devicePath: '/v' }, { name: 'w', devicePath: '../x' }, {}]],
      ['containers.0.volumeMounts.0.mountPropagation', 'Bidirectional'],
      ['containers.0.volumeMounts.0.recursiveReadOnly', 'Enabled'],
      ['containers.0.lifecycle', { preStop: { sleep: { seconds: 100 } } }],
      ['containers.0.env.0', { name: 'E', valueFrom: { resourceFieldRef: { resource: 'limits.pods', divisor: '2' } } }],
      ['containers.0.env.0', { name: 'E', valueFrom: { fileKeyRef: { key: '=', volumeName: 'W', path: '../p' } } }],
      ...[
        { projected: { sources: [{ serviceAccountToken: { path: '', expirationSeconds: 1 } }] } },
        { projected: { sources: [{ secret: { name: 's' }, configMap: { name: 'c' } }] } },
        { projected: { sources: [{ secret: {} }, { downwardAPI: { items: [{ path: '/a' }, { path: 'a' }] } }] } },
        { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'spec.nodeName' } }] } },
        { downwardAPI: { items: [{ path: 'a', resourceFieldRef: { resource: 'limits.cpu' } }] } },
        { ephemeral: {} },
        { ephemeral: { volumeClaimTemplate: { metadata: { name: 'x' }, spec: { accessModes: ['Other'] } } } },
        { image: { pullPolicy: 'Other' } },
        { gitRepo: { directory: '/x' } },
        { csi: { driver: 'A_', nodePublishSecretRef: {} } },
      ].map(source => ['volumes.1', { name: 'w', ...source }] as const),
    ] as const
  ).map(([path, value]) => [`${at}.${path}`, value])

const ofTemplates = [
  ['spec.selector', none],
  ['spec.selector', {}],
  ...badSelectors.map(bad => ['spec.selector', bad] as const),
  ['spec.template.metadata.labels', { app: 'b' }],
  ['spec.template.metadata.labels', none],
  ['spec.template.metadata.labels.x', 'a b'],
  ['spec.template.metadata.annotations', { 'a b': 'c' }],
  ['spec.template', none],
  ['spec', none],
  ['spec.template.spec.restartPolicy', 'Never'],
  ['spec.template.spec.restartPolicy', 'Other'],
  ['spec.template.spec.activeDeadlineSeconds', 5],
  ['spec.minReadySeconds', -1],
] as const

const indexed = {
  ...{ completionMode: 'Indexed', completions: 3, parallelism: 1 },
  template: { spec: { ...podSpec, restartPolicy: 'Never' } },
}
const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const path = { path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }
const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }

const variants: readonly Variants[] = [
  {
    kind: 'Pods',
    path: '/api/v1/namespaces/{ns}/pods',
    valid: { metadata: { name: 'a' }, spec: podSpec },
    changes: [
      // Which classes there are is another matter.
      ...ofPods('spec').filter(([at]) => at !== 'spec.priorityClassName'),
      ...ofRarerPods('spec'),
      ...[
        { hostNetwork: true, securityContext: { sysctls: [{ name: 'net.ipv4.x', value: '1' }] } },
        { hostIPC: true, securityContext: { sysctls: [{ name: 'kernel/sem', value: '1' }] } },
        { hostPID: true, shareProcessNamespace: true },
        { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true },
        { hostNetwork: true, containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 81 }] }] },
        { hostnameOverride: 'A', setHostnameAsFQDN: true, hostNetwork: true },
        { ephemeralContainers: [{ name: 'e', image: 'i' }] },
        { nodeName: 'n', schedulingGates: [{ name: 'a' }] },
        { priority: 5 },
        { preemptionPolicy: 'Never' },
        { overhead: { cpu: '1' } },
        { containers: [{ ...container, image: ' i' }] },
        { os: { name: 'linux' }, securityContext: { windowsOptions: {} } },
        {
          ...{ os: { name: 'windows' }, hostUsers: true, hostPID: true },
          securityContext: { seLinuxOptions: {}, fsGroup: 5 },
          containers: [{ ...container, securityContext: { privileged: true, runAsUser: 5 } }],
        },
      ].map(fields => ['spec', { ...podSpec, ...fields }] as const),
      ['spec', none],
      ['spec.restartPolicy', 'Other'],
      ['spec.activeDeadlineSeconds', 0],
      ['spec.nodeName', 'A'],
    ],
  },
  {
    kind: 'Deployments',
    path: namespaced('apps/v1', 'deployments'),
    valid: workload,
    changes: [
      ...ofTemplates,
      ...ofPods('spec.template.spec').filter((_, i) => i % 6 === 0),
      ...ofRarerPods('spec.template.spec').filter((_, i) => i % 6 === 0),
      ['spec.template.spec.ephemeralContainers', [{ name: 'e', image: 'i' }]],
      ['spec.template.spec.overhead', { cpu: '-1' }],
      ['spec.template.spec.preemptionPolicy', 'Other'],
      ['spec.replicas', -1],
      ['spec.strategy', { type: 'Other' }],
      ['spec.strategy', { type: 'Recreate', rollingUpdate: { maxSurge: 1 } }],
      ['spec.strategy', { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } }],
      ['spec.strategy', { rollingUpdate: { maxSurge: 'x', maxUnavailable: '101%' } }],
      ['spec.strategy', { rollingUpdate: { maxSurge: -1 } }],
      ['spec.revisionHistoryLimit', -1],
      ['spec.progressDeadlineSeconds', 5],
      ['spec.progressDeadlineSeconds', -1],
      ['spec', { minReadySeconds: 700, replicas: -1 }],
    ],
  },
  {
    kind: 'ReplicaSets',
    path: namespaced('apps/v1', 'replicasets'),
    valid: workload,
    changes: [...ofTemplates, ['spec.replicas', -1]],
  },
  {
    kind: 'DaemonSets',
    path: namespaced('apps/v1', 'daemonsets'),
    valid: workload,
    changes: [
      ...ofTemplates,
      ['spec.updateStrategy', { type: 'Other' }],
      ['spec.updateStrategy', { rollingUpdate: { maxUnavailable: 0 } }],
      ['spec.updateStrategy', { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } }],
      ['spec.updateStrategy', { rollingUpdate: { maxUnavailable: '101%' } }],
      ['spec.revisionHistoryLimit', -1],
    ],
  },
  {
    kind: 'StatefulSets',
    path: namespaced('apps/v1', 'statefulsets'),
    valid: workload,
    changes: [
      ...ofTemplates,
      ['spec.replicas', -1],
      ['spec.podManagementPolicy', 'Other'],
      ['spec.updateStrategy', { type: 'Other' }],
      ['spec.updateStrategy', { rollingUpdate: { partition: -1 } }],
      ['spec.updateStrategy', { rollingUpdate: { maxUnavailable: 0 } }],
      ['spec.persistentVolumeClaimRetentionPolicy', { whenDeleted: 'Other' }],
      ['spec.ordinals', { start: -1 }],
      ['spec.serviceName', 'A'],
      ['spec.volumeClaimTemplates', [{ metadata: { name: 'w' }, spec: claimSpec }]],
    ],
  },
  {
    kind: 'Jobs',
    path: namespaced('batch/v1', 'jobs'),
    valid: { metadata: { name: 'a' }, spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
    changes: [
      ['spec', none],
      ['spec.template.spec.restartPolicy', none],
      ['spec.template.spec.restartPolicy', 'Other'],
      ['spec.template.spec.containers.0.image', none],
      ...['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'].map(
        field => [`spec.${field}`, -1] as const,
      ),
      ['spec.completionMode', 'Other'],
      ['spec.completionMode', 'Indexed'],
      [
        'spec',
        { completionMode: 'Indexed', parallelism: 2, template: { spec: { ...podSpec, restartPolicy: 'Never' } } },
      ],
      ['spec.backoffLimitPerIndex', 1],
      ['spec.maxFailedIndexes', 1],
      ['spec.podReplacementPolicy', 'Other'],
      ...['', 'x', 'A/x', 'a/ ', `${long}/x`].map(manager => ['spec.managedBy', manager] as const),
      ['spec.successPolicy', { rules: [{ succeededCount: 1 }] }],
      ...[
        ...[{}, { action: 'Other' }, { action: 'FailIndex', onPodConditions: [{ type: 'a b', status: 'Other' }] }],
        { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
        { action: 'FailJob', onExitCodes: { containerName: 'x', operator: 'In', values: [2, 0, 2] } },
        { action: 'FailJob', onExitCodes: { operator: 'Other' }, onPodConditions: [{ type: 'a' }] },
      ].map(rule => ['spec.podFailurePolicy', { rules: [rule] }] as const),
      ...[
        { successPolicy: {} },
        { successPolicy: { rules: [{}, { succeededCount: -1 }, { succeededCount: 5 }] } },
        { successPolicy: { rules: [{ succeededIndexes: '0-9' }, { succeededIndexes: '0-1', succeededCount: 3 }] } },
        { completions: 200_000, parallelism: 20_000, backoffLimitPerIndex: 1 },
        { completions: 300_000, backoffLimitPerIndex: 1, maxFailedIndexes: 200_000 },
      ].map(fields => ['spec', { ...indexed, ...fields }] as const),
      ['spec.selector', selector],
      ['spec.manualSelector', true],
      ['spec.template.metadata', { labels: { a: 'b c' } }],
    ],
  },
  {
    kind: 'CronJobs',
    path: namespaced('batch/v1', 'cronjobs'),
    valid: {
      metadata: { name: 'a' },
      spec: {
        schedule: '* * * * *',
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
      },
    },
    changes: [
      ['spec', none],
      ...[
        ...['', 'x', '* * * *', '* * * * * *', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * * 13 *', '* * * * 7'],
        ...['*/0 * * * *', '*/5 1-3 * jan,FEB mon-fri', '5-1 * * * *', '1-2-3 * * * *', '1/2/3 * * * *', '-1 * * * *'],
        ...['a * * * *', '* * * * sunday', '@daily', '@never', '@every 1h', '@every x', '? * * * *', '*/x * * * *'],
        ...['TZ=UTC * * * * *', 'CRON_TZ=UTC @daily', '1,,2 * * * *', '+1 * * * *'],
      ].map(schedule => ['spec.schedule', schedule] as const),
      ['spec.timeZone', 'Europe/Berlin'],
      ['spec.timeZone', 'Mars/Olympus'],
      ['spec.timeZone', 'Local'],
      ['spec.concurrencyPolicy', 'Other'],
      ['spec.startingDeadlineSeconds', -1],
      ['spec.successfulJobsHistoryLimit', -1],
      ['spec.failedJobsHistoryLimit', -1],
      ['spec.jobTemplate.spec.template.spec.restartPolicy', 'Always'],
      ['spec.jobTemplate.spec.template.spec.containers', []],
      ['spec.jobTemplate.spec.selector', selector],
      ['metadata.name', 'a'.repeat(53)],
    ],
  },
  {
    kind: 'Services',
    path: '/api/v1/namespaces/{ns}/services',
    valid: { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }], selector: { a: 'b' } } },
    changes: [
      ['spec', none],
      ['spec.ports', []],
      ['spec.ports.0.protocol', 'HTTP'],
      ['spec.ports.0.name', 'A'],
      ['spec.ports', [{ port: 80 }, { port: 81 }]],
      [
        'spec.ports',
        [
          { name: 'a', port: 80 },
          { name: 'a', port: 81 },
        ],
      ],
      [
        'spec.ports',
        [
          { name: 'a', port: 80 },
          { name: 'b', port: 80 },
        ],
      ],
      ['spec.ports.0.nodePort', 30_080],
      ['spec.selector', { 'a b': 'c' }],
      ['spec.type', 'Other'],
      ['spec.type', 'ExternalName'],
      ['spec', { type: 'ExternalName', externalName: 'A_b' }],
      ['spec', { type: 'ExternalName', externalName: 'a.example.com.' }],
      ['spec', { type: 'NodePort', clusterIP: 'None', ports: [{ port: 80 }] }],
      ['spec.clusterIP', 'None'],
      ['spec', { clusterIP: 'None' }],
      ['spec.sessionAffinity', 'Other'],
      ['spec.sessionAffinityConfig', { clientIP: { timeoutSeconds: 5 } }],
      [
        'spec',
        {
          ports: [{ port: 80 }],
          sessionAffinity: 'ClientIP',
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 90_000 } },
        },
      ],
      ['spec.externalTrafficPolicy', 'Local'],
      ['spec', { type: 'NodePort', externalTrafficPolicy: 'Other', ports: [{ port: 80 }] }],
      ['spec.internalTrafficPolicy', 'Other'],
      ['spec.allocateLoadBalancerNodePorts', true],
      ['spec.loadBalancerClass', 'a.example.com/b'],
      ['spec.loadBalancerSourceRanges', ['10.0.0.0/8']],
      ['spec.externalIPs', ['x', '127.0.0.1']],
      ['spec.ports.0.appProtocol', 'A_'],
      ['spec.trafficDistribution', 'Other'],
      ['spec.ipFamilies', ['X', 'IPv4', 'IPv4']],
      ['spec.ipFamilies', ['IPv6']],
      ['spec.ipFamilyPolicy', 'X'],
      ['spec.clusterIPs', ['10.0.0.5', '10.0.0.6']],
      ...[
        { clusterIP: '10.0.0.5', clusterIPs: ['10.0.0.6'] },
        { clusterIP: 'None', clusterIPs: ['None', '10.0.0.6'] },
        { clusterIP: '10.0.0.5', clusterIPs: ['10.0.0.5'], ipFamilies: ['IPv6'] },
        { type: 'LoadBalancer', loadBalancerSourceRanges: ['x'] },
        { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: -1 },
        { type: 'ExternalName', externalName: 'a.b', clusterIP: 'None' },
      ].map(fields => ['spec', { ports: [{ port: 80 }], ...fields }] as const),
      ['metadata.name', 'A'],
    ],
  },
  {
    kind: 'Secrets',
    path: '/api/v1/namespaces/{ns}/secrets',
    valid: { metadata: { name: 'a' } },
    changes: [
      ['type', 'kubernetes.io/tls'],
      ['type', 'kubernetes.io/basic-auth'],
      ['type', 'kubernetes.io/ssh-auth'],
      ['type', 'kubernetes.io/dockercfg'],
      ['type', 'kubernetes.io/dockerconfigjson'],
      ['type', 'kubernetes.io/service-account-token'],
      ['type', 'example.com/own'],
      ['type', ''],
      ['', { type: 'kubernetes.io/tls', data: { 'tls.crt': 'eA==' } }],
      ['', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'x' } }],
      ['', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '' } }],
      ['', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '[]' } }],
      ['', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{}' } }],
      ['', { type: 'kubernetes.io/basic-auth', stringData: { username: 'x' } }],
      ['', { type: 'kubernetes.io/ssh-auth', stringData: { 'ssh-privatekey': '' } }],
    ],
  },
  {
    kind: 'ConfigMaps',
    path: '/api/v1/namespaces/{ns}/configmaps',
    valid: { metadata: { name: 'a' } },
    changes: [
      ['data', { 'a b': 'x' }],
      ['', { data: { a: 'x' }, binaryData: { a: 'eA==' } }],
    ],
  },
  {
    kind: 'PersistentVolumeClaims',
    path: '/api/v1/namespaces/{ns}/persistentvolumeclaims',
    valid: { metadata: { name: 'a' }, spec: claimSpec },
    changes: [
      ['spec', none],
      ['spec.accessModes', []],
      ['spec.accessModes', ['Other']],
      ['spec.accessModes', ['ReadWriteOncePod', 'ReadWriteOnce']],
      ['spec.resources', none],
      ['spec.resources.requests.storage', '0'],
      ['spec.resources.requests.storage', '-1Gi'],
      ['spec.storageClassName', 'A'],
      ['spec.storageClassName', ''],
      ['spec.volumeMode', 'Other'],
      ['spec.selector', badSelectors[2]],
      ['spec.volumeAttributesClassName', 'A'],
      ...[
        {},
        { kind: 'PersistentVolumeClaim', name: 'b' },
        { apiGroup: '', kind: 'PersistentVolumeClaim', name: 'b' },
        { kind: 'Other', name: 'b' },
        { apiGroup: 'a.b', kind: 'Other', name: 'b' },
        { apiGroup: 'A', kind: 'Other', name: 'b' },
        { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'b' },
      ].flatMap(source =>
        [
          { dataSource: source },
          { dataSourceRef: source },
          { dataSourceRef: { ...source, namespace: 'n' } },
          { dataSource: source, dataSourceRef: { ...source, name: 'c' } },
        ].map(sources => ['spec', { ...claimSpec, ...sources }] as const),
      ),
    ],
  },
  {
    kind: 'Ingresses',
    path: namespaced('networking.k8s.io/v1', 'ingresses'),
    valid: { metadata: { name: 'a' }, spec: { rules: [{ host: 'a.example.com', http: { paths: [path] } }] } },
    changes: [
      ['spec', none],
      ['spec', { defaultBackend: {} }],
      ['spec', { defaultBackend: { resource: { kind: 'A', name: 'a' } } }],
      ['spec', { defaultBackend: { resource: {} } }],
      ['spec.rules.0.host', '10.0.0.1'],
      ['spec.rules.0.host', 'A'],
      ['spec.rules.0.host', '*.example.com'],
      ['spec.rules.0.host', 'a.*.com'],
      ['spec.rules.0.http.paths', []],
      ['spec.rules.0.http.paths.0.pathType', none],
      ['spec.rules.0.http.paths.0.pathType', 'Other'],
      ['spec.rules.0.http.paths.0.path', 'a'],
      ['spec.rules.0.http.paths.0.path', none],
      ['spec.rules.0.http.paths.0.path', '/a//b/..'],
      ['spec.rules.0.http.paths.0', { ...path, pathType: 'ImplementationSpecific', path: 'x' }],
      ['spec.rules.0.http.paths.0', { ...path, pathType: 'ImplementationSpecific', path: '' }],
      ['spec.rules.0.http.paths.0.backend', {}],
      ['spec.rules.0.http.paths.0.backend.service.name', 'A'],
      ['spec.rules.0.http.paths.0.backend.service.name', none],
      ['spec.rules.0.http.paths.0.backend.service.port', {}],
      ['spec.rules.0.http.paths.0.backend.service.port', { number: 70_000 }],
      ['spec.rules.0.http.paths.0.backend.service.port', { name: 'A' }],
      ['spec.rules.0.http.paths.0.backend.service.port', { name: 'a', number: 80 }],
      ['spec.rules.0.http.paths.0.backend.resource', { kind: 'A', name: 'a' }],
      ['spec.tls', [{ hosts: ['A', '*.example.com'], secretName: 'S' }]],
      ['spec.ingressClassName', 'A'],
    ],
  },
  {
    kind: 'NetworkPolicies',
    path: namespaced('networking.k8s.io/v1', 'networkpolicies'),
    valid: { metadata: { name: 'a' }, spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] } },
    changes: [
      ['spec', none],
      ['spec.podSelector', badSelectors[4]],
      ['spec.ingress.0.ports.0.protocol', 'HTTP'],
      ['spec.ingress.0.ports.0.port', 0],
      ['spec.ingress.0.ports.0.port', 'A'],
      ['spec.ingress.0.ports.0.endPort', 70],
      ['spec.ingress.0.ports.0.endPort', 70_000],
      ['spec.ingress.0.ports.0', { endPort: 70 }],
      ['spec.ingress.0.ports.0', { port: 'http', endPort: 70 }],
      ['spec.ingress.0.from', [{}]],
      ['spec.ingress.0.from', [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }]],
      ['spec.ingress.0.from', [{ ipBlock: {} }]],
      ['spec.ingress.0.from', [{ ipBlock: { cidr: '10.0.0.0' } }]],
      ['spec.ingress.0.from', [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16', '10.0.0.0/8', 'x'] } }]],
      ['spec.ingress.0.from', [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }]],
      ['spec.egress', [{ to: [{ namespaceSelector: badSelectors[3] }] }]],
      ['spec.policyTypes', ['Other']],
      ['spec.policyTypes', ['Ingress', 'Egress', 'Ingress']],
    ],
  },
  {
    kind: 'Roles',
    path: namespaced(`${rbac}/v1`, 'roles'),
    valid: { metadata: { name: 'a' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    changes: [
      ['rules.0.verbs', []],
      ['rules.0.apiGroups', none],
      ['rules.0.resources', none],
      ['rules.0.nonResourceURLs', ['/x']],
      ['rules.0', { nonResourceURLs: ['/x'], verbs: ['get'] }],
      ['rules.0', {}],
    ],
  },
  {
    kind: 'ClusterRoles',
    path: `/apis/${rbac}/v1/clusterroles`,
    valid: { metadata: { name: '{ns}-a' }, rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] },
    changes: [
      ['rules.0.verbs', none],
      ['rules.0.apiGroups', ['']],
      ['aggregationRule', {}],
      ['aggregationRule', { clusterRoleSelectors: [badSelectors[0]] }],
    ],
  },
  {
    kind: 'RoleBindings',
    path: namespaced(`${rbac}/v1`, 'rolebindings'),
    valid: {
      metadata: { name: 'a' },
      roleRef: { kind: 'Role', name: 'r', apiGroup: rbac },
      subjects: [{ kind: 'User', name: 'u', apiGroup: rbac }],
    },
    changes: [
      ['roleRef', none],
      ['roleRef.kind', 'Other'],
      ['roleRef.name', none],
      ['roleRef.name', 'a/b'],
      ['roleRef.apiGroup', 'other'],
      ['subjects.0.name', none],
      ['subjects.0.kind', 'Other'],
      ['subjects.0.kind', none],
      ['subjects.0.apiGroup', 'other'],
      ['subjects.0.kind', 'ServiceAccount'],
      ['subjects.0', { kind: 'ServiceAccount', name: 'A' }],
      ['subjects.0', { kind: 'ServiceAccount', name: 's' }],
    ],
  },
  {
    kind: 'ClusterRoleBindings',
    path: `/apis/${rbac}/v1/clusterrolebindings`,
    valid: { metadata: { name: '{ns}-a' }, roleRef: { kind: 'ClusterRole', name: 'r' } },
    changes: [
      ['roleRef.kind', 'Role'],
      ['subjects', [{ kind: 'ServiceAccount', name: 's' }]],
    ],
  },
  {
    kind: 'PodDisruptionBudgets',
    path: namespaced('policy/v1', 'poddisruptionbudgets'),
    valid: { metadata: { name: 'a' }, spec: { minAvailable: 1, selector } },
    changes: [
      ['spec', none],
      ['spec.minAvailable', -1],
      ['spec.minAvailable', 'x'],
      ['spec.minAvailable', '101%'],
      ['spec.maxUnavailable', 1],
      ['spec.selector', badSelectors[1]],
      ['spec.unhealthyPodEvictionPolicy', 'Other'],
    ],
  },
  {
    kind: 'HorizontalPodAutoscalers',
    path: namespaced('autoscaling/v2', 'horizontalpodautoscalers'),
    valid: {
      metadata: { name: 'a' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' },
        metrics: [cpu],
      },
    },
    changes: [
      ['spec', none],
      ['spec.minReplicas', 0],
      ['spec.minReplicas', 5],
      ['spec.maxReplicas', none],
      ['spec.maxReplicas', -1],
      ['spec.scaleTargetRef', none],
      ['spec.scaleTargetRef.kind', 'a/b'],
      ['spec.metrics.0.type', 'Other'],
      ['spec.metrics.0.type', none],
      ['spec.metrics.0.type', 'Pods'],
      ['spec.metrics.0', { type: 'Resource' }],
      ['spec.metrics.0.resource.name', none],
      ['spec.metrics.0.resource.target', {}],
      ['spec.metrics.0.resource.target.averageUtilization', 0],
      ['spec.metrics.0.resource.target.averageValue', '1'],
      ['spec.metrics.0.resource.target', { type: 'AverageValue', averageValue: '0' }],
      ['spec.metrics.0.resource.target.type', 'Other'],
      ['spec.behavior', { scaleUp: { stabilizationWindowSeconds: -1, selectPolicy: 'Other' } }],
      ['spec.behavior', { scaleDown: { policies: [{ type: 'Other', value: 0, periodSeconds: 2000 }] } }],
    ],
  },
]

/** Kinds with few rules. */
const few: readonly Variants[] = [
  {
    kind: 'Leases',
    path: namespaced('coordination.k8s.io/v1', 'leases'),
    valid: {
      metadata: { name: 'a' },
      spec: {
        ...{ holderIdentity: 'h', leaseDurationSeconds: 15, leaseTransitions: 1 },
        ...{ acquireTime: '2024-01-01T00:00:00.000000Z', renewTime: '2024-01-01T00:00:00.000000Z' },
      },
    },
    changes: [
      ['spec.leaseDurationSeconds', 0],
      ['spec.leaseTransitions', -1],
    ],
  },
  {
    kind: 'PriorityClasses',
    path: '/apis/scheduling.k8s.io/v1/priorityclasses',
    valid: {
      ...{ metadata: { name: '{ns}-a' }, value: 1000, globalDefault: false, description: 'd' },
      preemptionPolicy: 'Never',
    },
    changes: [
      ['value', 1_000_000_001],
      ['preemptionPolicy', 'Other'],
      ['metadata.name', 'system-{ns}'],
      ['metadata.name', 'system-node-critical'],
    ],
  },
  {
    kind: 'IngressClasses',
    path: '/apis/networking.k8s.io/v1/ingressclasses',
    valid: {
      metadata: { name: '{ns}-a' },
      spec: {
        controller: 'example.com/c',
        parameters: { apiGroup: 'example.com', kind: 'Thing', name: 't', scope: 'Namespace', namespace: 'default' },
      },
    },
    changes: [
      ['spec', none],
      ['spec.controller', 'a'],
      ['spec.controller', 'A/b'],
      ['spec.controller', 'a/ b'],
      ['spec.controller', `a/${'b'.repeat(250)}`],
      ['spec.parameters', {}],
      ['spec.parameters.apiGroup', 'A'],
      ['spec.parameters.kind', 'a/b'],
      ['spec.parameters.name', '..'],
      ['spec.parameters.scope', 'Other'],
      ['spec.parameters.scope', 'Cluster'],
      ['spec.parameters.namespace', 'A'],
      ['spec.parameters.namespace', none],
    ],
  },
  {
    kind: 'RuntimeClasses',
    path: '/apis/node.k8s.io/v1/runtimeclasses',
    valid: {
      ...{ metadata: { name: '{ns}-a' }, handler: 'h' },
      scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }] },
      overhead: { podFixed: { cpu: '10m', memory: '1Mi' } },
    },
    changes: [
      ['overhead', {}],
      ['overhead.podFixed.cpu', '-1'],
      ['overhead.podFixed', { pods: '1' }],
      ['handler', none],
      ['handler', 'A'],
      ['scheduling.nodeSelector', { 'a b': 'c' }],
      ['scheduling.tolerations', [{ key: 'a b', operator: 'Exists' }]],
      ['scheduling.tolerations', [{ key: 'k', operator: 'Other' }]],
    ],
  },
]
const all = [...variants, ...few, ...rarerVariants]

/** Manifests that both servers take, and where they are posted. */
export const validManifests: readonly Pick<Variants, 'kind' | 'path' | 'valid'>[] = all

const conditions = (...types: string[]): object[] => types.map(type => ({ type, status: 'True' }))

/** A copy of `object` with another value at `at`. */
function changed(object: object, at: string, value: unknown): object {
  if (at === '') return { ...object, ...(value as object) }
  const copy = structuredClone(object) as Record<string, unknown>
  const keys = at.split('.')
  const last = keys.pop() as string
  let place = copy
  for (const key of keys) {
    place[key] ??= {}
    place = place[key] as Record<string, unknown>
  }
  if (value === undefined) delete place[last]
  else place[last] = value
  return copy
}

function steps({ path, valid, changes }: Variants): readonly Step[] {
  const dry = `${path}?dryRun=All`
  return [post(dry, valid), ...changes.map(([at, value]) => post(dry, changed(valid, at, value)))]
}

/** What of an object of a built-in kind is required, and what its fields may be. */
export const refusalScenarios: readonly Scenario[] = [
  ...all.map(one => ({ name: `${one.kind} that are refused`, steps: steps(one) })),
  ...rarerRefusals,
  {
    name: 'updates to what a new object could not be',
    steps: ['deployments', 'statefulsets', 'daemonsets'].flatMap(plural => {
      const collection = namespaced('apps/v1', plural)
      return [
        quietly(post(collection, workload)),
        ...(
          [
            ['spec.template.spec.containers.0.image', none],
            ['spec.template.metadata.labels', { app: 'b' }],
            ['spec.minReadySeconds', -1],
            ['spec.selector', { matchLabels: { app: 'b' } }],
          ] as const
        ).map(([at, value]) => put(`${collection}/a`, changed(workload, at, value))),
        put(`${collection}/a/status`, { ...changed(workload, 'spec', {}), status: { observedGeneration: 1 } }),
      ]
    }),
  },
  {
    name: 'updates to an object without a spec',
    // A Job's template is quoted with all the fields of its type.
    except: ['*.body.message', '*.body.details.causes.*.message'],
    steps: variants
      .filter(({ valid }) => 'spec' in valid)
      .flatMap(({ path, valid }) => {
        const { metadata } = valid as { metadata: { name: string } }
        return [quietly(post(path, valid)), put(`${path}/${metadata.name}`, { metadata })]
      }),
  },
  {
    name: 'statuses that are refused',
    steps: (
      [
        ['deployments', ['updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas']],
        ['replicasets', ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']],
        ['statefulsets', ['currentReplicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas']],
        ['daemonsets', ['numberReady', 'numberAvailable', 'updatedNumberScheduled']],
      ] as const
    ).flatMap(([plural, fields]) => {
      const at = `${namespaced('apps/v1', plural)}/a`
      return [
        quietly(post(namespaced('apps/v1', plural), workload)),
        ...fields.flatMap(field => [-1, 1].map(value => merge(`${at}/status`, { status: { [field]: value } }))),
        merge(`${at}/status`, { status: { replicas: 3, readyReplicas: 3, availableReplicas: 2 } }),
        merge(`${at}/status`, { status: { replicas: 2 } }),
        merge(at, { spec: { minReadySeconds: 5 }, status: { replicas: -1 } }),
      ]
    }),
  },
  {
    name: 'statuses of Jobs that are refused',
    steps: [
      quietly(post(namespaced('batch/v1', 'jobs'), variants.find(({ kind }) => kind === 'Jobs')?.valid)),
      ...[
        { active: -1 },
        { succeeded: 2, active: 1 },
        { succeeded: 1 },
        { ready: 3 },
        { conditions: conditions('Complete') },
        { conditions: conditions('Complete', 'SuccessCriteriaMet') },
        { completionTime: '2020-01-01T00:00:00Z' },
        { completedIndexes: '0' },
        { failedIndexes: '1' },
        { conditions: conditions('Failed') },
        { conditions: conditions('Failed', 'FailureTarget') },
        { conditions: conditions('Failed', 'Complete', 'SuccessCriteriaMet') },
        { conditions: conditions('FailureTarget', 'SuccessCriteriaMet') },
        { startTime: '2020-01-01T00:00:00Z' },
        { startTime: '2020-01-02T00:00:00Z' },
        {
          ...{ conditions: conditions('Complete', 'SuccessCriteriaMet'), startTime: '2020-01-01T00:00:00Z' },
          ...{ completionTime: '2019-01-01T00:00:00Z', active: 1, terminating: 1 },
        },
        {
          ...{ conditions: conditions('Complete', 'SuccessCriteriaMet'), startTime: '2020-01-01T00:00:00Z' },
          ...{ completionTime: '2020-01-03T00:00:00Z', active: 0 },
        },
        { completionTime: '2020-01-04T00:00:00Z' },
        { conditions: [] },
        { active: 1 },
      ].map(status => merge(`${namespaced('batch/v1', 'jobs')}/a/status`, { status })),
    ],
  },
]
