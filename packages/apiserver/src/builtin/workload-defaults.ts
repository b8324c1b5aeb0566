import { objectAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import type { Defaults } from './complete.ts'
import { countTemplate } from './daemon-set.ts'
import { labelAsPods } from './job.ts'

/** The defaults of update strategies. Only a rolling update has parameters. */
const rolling: Defaults = {
  type: 'RollingUpdate',
  rollingUpdate: of => (stringAt(of, 'type') === 'RollingUpdate' ? {} : undefined),
}
const rbac = 'rbac.authorization.k8s.io'

/** The parameters of a StatefulSet's rolling update. */
const rollingSet = { partition: 0, maxUnavailable: 1 }

/** A server prints times that are missing as null, in the structs that have the time itself and no pointer to it. */
const noTimes =
  (...fields: string[]) =>
  (...types: string[]): Readonly<Record<string, Defaults>> => {
    const none = Object.fromEntries(fields.map(field => [field, null]))
    return Object.fromEntries(types.map(type => [type, none]))
  }

/** The defaults of the kinds that make Pods, and of other kinds that operators make, except Services. */
export const workloadDefaults: Readonly<Record<string, Defaults>> = {
  'apps.v1.DeploymentSpec': { selector: null, replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 },
  'apps.v1.DeploymentStrategy': rolling,
  'apps.v1.RollingUpdateDeployment': { maxUnavailable: '25%', maxSurge: '25%' },
  'apps.v1.ReplicaSetSpec': { selector: null, replicas: 1 },
  'apps.v1.ReplicaSetStatus': { replicas: 0 },
  'apps.v1.DaemonSetSpec': { selector: null, revisionHistoryLimit: 10 },
  'apps.v1.DaemonSetUpdateStrategy': rolling,
  'apps.v1.RollingUpdateDaemonSet': { maxUnavailable: 1, maxSurge: 0 },
  'apps.v1.DaemonSetStatus': {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  },
  'apps.v1.StatefulSetSpec': {
    selector: null,
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: {},
  },
  'apps.v1.StatefulSetUpdateStrategy': {
    rollingUpdate: of => (own(of, 'type') === undefined ? { ...rollingSet } : undefined),
    type: 'RollingUpdate',
  },
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy': { whenDeleted: 'Retain', whenScaled: 'Retain' },
  'apps.v1.StatefulSetStatus': { replicas: 0, availableReplicas: 0 },
  'autoscaling.v1.HorizontalPodAutoscalerSpec': { minReplicas: 1 },
  'autoscaling.v2.HorizontalPodAutoscalerSpec': {
    minReplicas: 1,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
  },
  'autoscaling.v2.HorizontalPodAutoscalerStatus': { desiredReplicas: 0, currentMetrics: null },
  'batch.v1.CronJobSpec': {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  },
  ...noTimes('lastUpdateTime', 'lastTransitionTime')('apps.v1.DeploymentCondition'),
  ...noTimes('lastTransitionTime')(
    ...['apps.v1.DaemonSetCondition', 'apps.v1.ReplicaSetCondition', 'apps.v1.StatefulSetCondition'],
    ...['autoscaling.v2.HorizontalPodAutoscalerCondition', 'core.v1.ReplicationControllerCondition'],
  ),
  ...noTimes('lastProbeTime', 'lastTransitionTime')('batch.v1.JobCondition', 'core.v1.PodCondition'),
  ...noTimes('startedAt', 'finishedAt')('core.v1.ContainerStateTerminated'),
  ...noTimes('startedAt')('core.v1.ContainerStateRunning'),
  'batch.v1.PodFailurePolicy': { rules: null },
  'batch.v1.PodFailurePolicyRule': { action: '' },
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': { type: '', status: 'True' },
  'core.v1.ReplicationControllerSpec': {
    replicas: 1,
    selector: of => objectAt(objectAt(objectAt(of, 'template'), 'metadata'), 'labels'),
  },
  'core.v1.TypedLocalObjectReference': { apiGroup: null, kind: '', name: '' },
  'core.v1.TypedObjectReference': { apiGroup: null, kind: '', name: '' },
  'core.v1.ReplicationControllerStatus': { replicas: 0 },
  'core.v1.PersistentVolumeClaim': { kind: 'PersistentVolumeClaim', apiVersion: 'v1' },
  'core.v1.PersistentVolumeClaimSpec': { volumeMode: 'Filesystem' },
  'core.v1.PersistentVolumeClaimCondition': { type: '', status: '', lastProbeTime: null, lastTransitionTime: null },
  'core.v1.ModifyVolumeStatus': { status: '' },
  'core.v1.VolumeHealthStatus': { lastTransitionTime: null },
  'core.v1.VolumeHealthCondition': { status: '' },
  'core.v1.PersistentVolumeClaimStatus': { phase: 'Pending' },
  'core.v1.PersistentVolumeSpec': { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' },
  'core.v1.PersistentVolumeStatus': { phase: 'Pending' },
  'networking.v1.NetworkPolicyPort': { protocol: 'TCP' },
  'networking.v1.NetworkPolicySpec': {
    policyTypes: of => {
      const egress = own(of, 'egress')
      return Array.isArray(egress) && egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
    },
  },
  'policy.v1.PodDisruptionBudgetStatus': {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  },
  'rbac.v1.RoleRef': { apiGroup: rbac },
  'rbac.v1.Subject': { apiGroup: of => (stringAt(of, 'kind') === 'ServiceAccount' ? undefined : rbac) },
}

/** Fills in the parameters of a rolling update of a StatefulSet. */
export function completeSet(set: KubeObject): void {
  const strategy = objectAt(objectAt(set, 'spec'), 'updateStrategy')
  const rolling = objectAt(strategy, 'rollingUpdate')
  if (
    strategy === undefined ||
    rolling === undefined ||
    (stringAt(strategy, 'type') || 'RollingUpdate') !== 'RollingUpdate'
  )
    return
  const { partition, maxUnavailable } = rolling
  strategy.rollingUpdate = {
    ...rolling,
    partition: partition ?? rollingSet.partition,
    maxUnavailable: maxUnavailable ?? rollingSet.maxUnavailable,
  }
}

/** Completes a DaemonSet. Only a rolling update has other parameters than zeros. */
export function completeDaemonSet(daemonSet: KubeObject): void {
  countTemplate(daemonSet, '0')
  const strategy = objectAt(objectAt(daemonSet, 'spec'), 'updateStrategy')
  const rolling = objectAt(strategy, 'rollingUpdate')
  if (strategy === undefined || rolling === undefined || stringAt(strategy, 'type') !== 'OnDelete') return
  strategy.rollingUpdate = { ...rolling, maxUnavailable: own(rolling, 'maxUnavailable') ?? 0 }
}

/** Completes a ReplicationController. An empty selector counts as absent. */
export function completeController(controller: KubeObject): void {
  const spec = objectAt(controller, 'spec')
  if (spec !== undefined && Object.keys(objectAt(spec, 'selector') ?? {}).length === 0) delete spec.selector
  labelAsPods(controller)
}
