import { type Json, type JsonObject, objectAt, objectsAt, own, sameJson, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { StatusError } from '../status.ts'
import type { Defaults } from './complete.ts'
import type { PodClasses } from './pod-classes.ts'

/** The pull policy of an image. An image with the tag `latest`, or with neither a tag nor a digest, is always pulled. */
function pullPolicy(image: string): string {
  const [reference = '', digest] = image.split('@')
  const [, name = reference, tag = digest === undefined ? 'latest' : ''] = /^(.*):([^/:]*)$/.exec(reference) ?? []
  return tag === 'latest' && isName(name) ? 'Always' : 'IfNotPresent'
}

/** Whether a text is a valid name of an image, without a tag. An image with an invalid name has no tag for a real server. */
function isName(name: string): boolean {
  const [first = '', ...rest] = name.split('/')
  const hasHost = rest.length > 0 && (/[.:A-Z]/.test(first) || first === 'localhost')
  const path = hasHost ? rest : [first, ...rest]
  const host = /^[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*(?:\.[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*)*(?::\d+)?$/
  if (hasHost && !host.test(first)) return false
  return path.every(part => /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/.test(part))
}

const container: Defaults = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: of => pullPolicy(stringAt(of, 'image') ?? ''),
}
const mode: Defaults = { defaultMode: 0o644 }

/** Texts and numbers that Go prints if they are empty. */
const emptyTexts: Readonly<Record<string, Defaults>> = Object.fromEntries(
  [
    ...[
      'SeccompProfile type',
      'AppArmorProfile type',
      'Sysctl name value',
      'PodReadinessGate conditionType',
      'PodOS name',
    ],
    ...['ContainerResizePolicy resourceName restartPolicy', 'VolumeDevice name devicePath', 'PodResourceClaim name'],
    ...['ResourceClaim name', 'ContainerRestartRule action', 'ContainerRestartRuleOnExitCodes operator'],
    ...['DownwardAPIVolumeFile path'],
  ].map(line => {
    const [type, ...names] = line.split(' ')
    return [`core.v1.${type}`, Object.fromEntries(names.map(name => [name, '']))]
  }),
)

/** The defaults of Pods' specs, in Pods and in templates. */
export const podDefaults: Readonly<Record<string, Defaults>> = {
  'core.v1.PodSpec': {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
    serviceAccountName: of => own(of, 'serviceAccount'),
    serviceAccount: of => own(of, 'serviceAccountName'),
  },
  'core.v1.Container': container,
  'core.v1.EphemeralContainer': container,
  'core.v1.ContainerPort': { protocol: 'TCP' },
  'core.v1.Probe': { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  'core.v1.HTTPGetAction': { path: '/', scheme: 'HTTP' },
  'core.v1.GRPCAction': { service: '' },
  'core.v1.ObjectFieldSelector': { apiVersion: 'v1' },
  'core.v1.ResourceFieldSelector': { divisor: '0' },
  'core.v1.Volume': { emptyDir: of => (Object.keys(of).some(name => name !== 'name') ? undefined : {}) },
  'core.v1.PodStatus': {
    podIPs: of => (own(of, 'podIP') === undefined ? undefined : [{ ip: own(of, 'podIP') }]),
    podIP: of => stringAt(objectsAt(of, 'podIPs')[0], 'ip'),
  },
  'core.v1.FileKeySelector': { optional: false },
  ...emptyTexts,
  'core.v1.SecretVolumeSource': mode,
  'core.v1.ConfigMapVolumeSource': mode,
  'core.v1.DownwardAPIVolumeSource': mode,
  'core.v1.ProjectedVolumeSource': { ...mode, sources: null },
  'core.v1.HostPathVolumeSource': { type: '' },
  'core.v1.ImageVolumeSource': { pullPolicy: of => pullPolicy(stringAt(of, 'reference') ?? '') },
  'core.v1.ServiceAccountTokenProjection': { expirationSeconds: 3600, path: '' },
  'core.v1.SleepAction': { seconds: 0 },
}

/** The containers of a spec, including the init containers. */
function containersOf(spec: JsonObject | undefined): JsonObject[] {
  return [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')]
}

/** Fills in the defaults of a Pod that a Pod's template does not get. Of two addresses that contradict each other, `podIP` counts. */
export function completePod(pod: KubeObject): void {
  const status = objectAt(pod, 'status')
  const ip = stringAt(status, 'podIP') ?? ''
  const [first] = objectsAt(status, 'podIPs')
  if (status !== undefined && ip !== '' && first !== undefined && stringAt(first, 'ip') !== ip) status.podIPs = [{ ip }]
  const spec = objectAt(pod, 'spec')
  if (spec === undefined) return
  spec.enableServiceLinks ??= true
  for (const container of containersOf(spec)) {
    const resources = objectAt(container, 'resources')
    const limits = objectAt(resources, 'limits')
    if (resources !== undefined && limits !== undefined) {
      resources.requests = { ...limits, ...objectAt(resources, 'requests') }
    }
    if (own(spec, 'hostNetwork') !== true) continue
    for (const port of objectsAt(container, 'ports')) port.hostPort ||= own(port, 'containerPort') as Json
  }
}

/**
 * Adds the fields that admission adds to a created or changed Pod: those of its classes, and tolerations of nodes that are unreachable or not ready for a
 * while. Throws 403 if a new Pod names a class that does not exist, or contradicts its class.
 */
export function admitPod(pod: KubeObject, old: KubeObject | undefined, classes: PodClasses): void {
  const spec = { ...objectAt(pod, 'spec') }
  const refuse = (why: string): never => {
    throw StatusError.forbidden(
      { group: '', plural: 'pods', kind: 'Pod' },
      pod.metadata.name || (pod.metadata.generateName ?? ''),
      why,
    )
  }
  if (old === undefined) rank(spec, classes, refuse)
  const tolerations = objectsAt(spec, 'tolerations')
  const added = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
    .filter(taint => !tolerations.some(one => tolerates(one, 'key', taint) && tolerates(one, 'effect', 'NoExecute')))
    .map(key => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }))
  if (added.length > 0) spec.tolerations = [...tolerations, ...added]
  if (old === undefined) runAs(spec, classes, refuse)
  for (const field of ['priority', 'preemptionPolicy']) spec[field] ??= own(objectAt(old, 'spec') ?? {}, field)
  pod.spec = spec
}

/** Gives a new Pod the rank of its PriorityClass. */
function rank(spec: JsonObject, classes: PodClasses, refuse: (why: string) => never): void {
  const name = stringAt(spec, 'priorityClassName') ?? ''
  const computed = classes.rank(name)
  if (computed === undefined) return refuse(`no PriorityClass with name ${name} was found`)
  if (computed.priorityClassName !== undefined) spec.priorityClassName = computed.priorityClassName
  const words = { priority: 'integer value of priority', preemptionPolicy: 'string value of PreemptionPolicy' } as const
  for (const field of ['priority', 'preemptionPolicy'] as const) {
    const given = own(spec, field)
    if (given === undefined) spec[field] = computed[field]
    else if (given !== computed[field]) {
      const from = `priority admission controller computed ${computed[field]} from the given PriorityClass name`
      refuse(`the ${words[field]} (${given}) must not be provided in pod spec; ${from}`)
    }
  }
}

/** Gives a new Pod the overhead, the node selector and the tolerations of its RuntimeClass. */
function runAs(spec: JsonObject, classes: PodClasses, refuse: (why: string) => never): void {
  const name = stringAt(spec, 'runtimeClassName')
  const runtime = name === undefined ? undefined : classes.runtime(name)
  if (name !== undefined && runtime === undefined) refuse(`pod rejected: RuntimeClass "${name}" not found`)
  const overhead = objectAt(objectAt(runtime, 'overhead'), 'podFixed')
  const given = objectAt(spec, 'overhead')
  if (overhead === undefined) {
    if (given !== undefined)
      refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
  } else if (given === undefined) spec.overhead = overhead
  else if (!sameJson(given, overhead))
    refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
  const scheduling = objectAt(runtime, 'scheduling')
  const selector = objectAt(scheduling, 'nodeSelector') ?? {}
  const asked = objectAt(spec, 'nodeSelector') ?? {}
  for (const [key, value] of Object.entries(selector)) {
    if (own(asked, key) === undefined || own(asked, key) === value) continue
    const both = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own(asked, key)}`
    refuse(`conflict: ${both}`)
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = { ...asked, ...selector }
  const tolerations = objectsAt(spec, 'tolerations')
  const more = objectsAt(scheduling, 'tolerations').filter(one => !tolerations.some(has => sameJson(has, one)))
  if (more.length > 0) spec.tolerations = [...tolerations, ...more]
}

function tolerates(toleration: JsonObject, field: string, value: string): boolean {
  return (stringAt(toleration, field) ?? '') === '' || stringAt(toleration, field) === value
}

/** The status of a Pod that no scheduler or kubelet has processed yet. */
export function newPodStatus(pod: KubeObject): JsonObject {
  const spec = objectAt(pod, 'spec')
  const gated = objectsAt(spec, 'schedulingGates').length > 0
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: pod.metadata.creationTimestamp,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  }
  return { phase: 'Pending', ...(gated ? { conditions: [condition] } : {}), qosClass: qosClass(containersOf(spec)) }
}

/** The QoS class of a Pod. See https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/ */
function qosClass(containers: readonly JsonObject[]): string {
  const classes = new Set(
    containers.map(one => {
      const { limits, requests } = (objectAt(one, 'resources') ?? {}) as Record<string, JsonObject | undefined>
      const of = (list: JsonObject | undefined, name: string): Json => own(list ?? {}, name) ?? '0'
      const [cpu, memory] = ['cpu', 'memory']
      const named = [limits, requests].flatMap(list => [of(list, 'cpu'), of(list, 'memory')])
      if (named.every(amount => amount === '0')) return 'BestEffort'
      const bound = [cpu, memory].every(
        name => of(limits, name as string) !== '0' && of(limits, name as string) === of(requests, name as string),
      )
      return bound ? 'Guaranteed' : 'Burstable'
    }),
  )
  return classes.size === 1 ? ([...classes][0] as string) : classes.size === 0 ? 'BestEffort' : 'Burstable'
}
