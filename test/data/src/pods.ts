import { timestamp } from './config-maps.ts'
import { managedFieldsOf } from './managed-fields.ts'
import type { KubeObject, ManagedFieldsEntry } from './object.ts'
import { seededRandom, seededUid } from './random.ts'
import { escapedPerChar, randomText } from './text.ts'
import { APPS, COMPONENTS, NAMESPACES, NOUNS } from './words.ts'

/** What {@link pods} generates. */
export interface PodsOptions {
  /** How many. */
  readonly count: number
  /** Mean bytes of one as JSON, with its managedFields; at least 3000. @default 3500 */
  readonly bytes?: number | undefined
  /** @default 1 */
  readonly seed?: number | undefined
}

const EPOCH = 1_767_225_600
const CONDITIONS = ['Initialized', 'Ready', 'PodScheduled']

/** Generates running Pods of Deployments: one container, a token volume, the kubelet's status, two managers. */
export function* pods(options: PodsOptions): Generator<KubeObject> {
  const { count, bytes = 3500, seed = 1 } = options
  if (!(bytes >= 3000)) throw new RangeError(`bytes must be at least 3000, not ${bytes}`)
  const random = seededRandom(seed)
  const text = randomText(random)
  let owed = 0

  for (let i = 0; i < count; i++) {
    const app = random.pick(APPS)
    const namespace = random.pick(NAMESPACES)
    const component = random.pick(COMPONENTS)
    const set = `${app}-${component}-${random.below(0x7fff_ffff).toString(36)}`
    const born = EPOCH + random.below(20_000_000)
    const time = timestamp(born)
    const ready = timestamp(born + 5 + random.below(60))
    const image = `registry.example.com/${app}/${component}:1.${random.below(40)}.${random.below(20)}`
    const token = `kube-api-access-${(random.below(0x3ff_ffff) + 0x400_0000).toString(36).slice(0, 5)}`
    const env = [
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: `${random.pick(NOUNS).toUpperCase()}_URL`, value: `http://${random.pick(APPS)}.${namespace}.svc:8080` },
      { name: 'STARTUP_CONFIG', value: '' },
    ]
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${set}-${(Math.imul(i, 0x9e3779b1) >>> 0).toString(36)}`,
        generateName: `${set}-`,
        namespace,
        uid: seededUid(random),
        generation: 1,
        creationTimestamp: time,
        labels: {
          'app.kubernetes.io/name': app,
          'app.kubernetes.io/component': component,
          'pod-template-hash': set.slice(set.lastIndexOf('-') + 1),
        },
        annotations: { 'checksum/config': text.base64(44) },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: set,
            uid: seededUid(random),
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
        managedFields: [] as ManagedFieldsEntry[],
      },
      spec: {
        volumes: [
          {
            name: token,
            projected: {
              sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }],
              defaultMode: 420,
            },
          },
        ],
        containers: [
          {
            name: component,
            image,
            ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
            env,
            resources: { limits: { memory: '512Mi' }, requests: { cpu: '100m', memory: '256Mi' } },
            volumeMounts: [{ name: token, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
            readinessProbe: {
              httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
              timeoutSeconds: 1,
              periodSeconds: 10,
              successThreshold: 1,
              failureThreshold: 3,
            },
            imagePullPolicy: 'IfNotPresent',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        serviceAccountName: 'default',
        nodeName: `node-${random.below(300)}`,
        securityContext: {},
        schedulerName: 'default-scheduler',
        enableServiceLinks: true,
      },
      status: {
        phase: 'Running',
        conditions: CONDITIONS.map(type => ({ type, status: 'True', lastTransitionTime: ready })),
        hostIP: `10.0.${random.below(256)}.${random.below(256)}`,
        podIP: `10.128.${random.below(256)}.${random.below(256)}`,
        startTime: time,
        containerStatuses: [
          {
            name: component,
            state: { running: { startedAt: ready } },
            lastState: {},
            ready: true,
            restartCount: random.below(3),
            image,
            started: true,
          },
        ],
        qosClass: 'Burstable',
      },
    }
    pod.metadata.managedFields = [
      managedFieldsOf({ ...pod, metadata: { ...pod.metadata, managedFields: undefined } }, 'kube-controller-manager', {
        only: ['metadata', 'spec'],
      }),
      { ...managedFieldsOf(pod, 'kubelet', { only: ['status'], subresource: 'status' }), time: ready },
    ]
    owed += bytes * (0.9 + 0.2 * random.next())
    const chars = Math.max(0, Math.round((owed - Buffer.byteLength(JSON.stringify(pod))) / escapedPerChar))
    const filler = env[2]
    if (filler) filler.value = text.lines(chars)
    owed -= Buffer.byteLength(JSON.stringify(pod))
    yield pod
  }
}
