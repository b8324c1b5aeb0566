import { isObject, type Json, objectAt, own, stringAt } from '@wherry/cel/internal'
import { claimProblems } from '../builtin/claim-updates.ts'
import { nextTemplate } from '../builtin/daemon-set.ts'
import { configMapProblems, readConfigMap, readSecret, secretProblems } from '../builtin/data.ts'
import { immutable } from '../builtin/immutable.ts'
import { jobProblems, labelAsOwnPods, selectOwnPods } from '../builtin/job.ts'
import { taintNewNode } from '../builtin/node.ts'
import { admitPod, newPodStatus } from '../builtin/pod-defaults.ts'
import { podProblems } from '../builtin/pod-updates.ts'
import { allocate, serviceProblems } from '../builtin/service.ts'
import type { ServiceAddresses } from '../builtin/service-addresses.ts'
import { checkAutoscaler } from '../builtin/validation/autoscaler.ts'
import { checkBudget } from '../builtin/validation/budget.ts'
import { allOf, checked, checkedOnce, checkedStatus } from '../builtin/validation/causes.ts'
import { checkClaim } from '../builtin/validation/claim.ts'
import { checkIngress } from '../builtin/validation/ingress.ts'
import { jobStatusProblems } from '../builtin/validation/job-status.ts'
import { checkCronJob, checkGeneratedSelector, checkJob } from '../builtin/validation/jobs.ts'
import { checkNetworkPolicy } from '../builtin/validation/network-policy.ts'
import { checkPod } from '../builtin/validation/pod.ts'
import { checkClusterRole, checkClusterRoleBinding, checkRole, checkRoleBinding } from '../builtin/validation/rbac.ts'
import { checkService } from '../builtin/validation/service.ts'
import {
  checkDaemonSetStatus,
  checkDeploymentStatus,
  checkReplicaSetStatus,
  checkStatefulSetStatus,
} from '../builtin/validation/status.ts'
import { checkDaemonSet, checkDeployment, checkReplicaSet, checkStatefulSet } from '../builtin/validation/workloads.ts'
import { claimProtection } from '../controllers/claim-protection.ts'
import type { KubeObject } from '../objects/object.ts'
import { completePolicy } from '../policies/complete.ts'
import { mutatingBindingProblems, mutatingProblems } from '../policies/mutation-problems.ts'
import { bindingProblems, policyProblems } from '../policies/problems.ts'
import { completeDefinition } from '../resources/definition.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { StatusCause } from '../status.ts'
import { resourceKey } from '../store/store.ts'
import { completeConfiguration } from '../webhooks/configuration.ts'
import { configurationProblems } from '../webhooks/problems.ts'
import { decisionProblems } from './parts.ts'
import { invalid } from './validate.ts'
import type { Part } from './writer.ts'

/** What a built-in does beyond what every resource does. */
interface Behaviour {
  /** What admission by the server itself changes in an object that is created, or replaces `old`. */
  admit?(object: KubeObject, old: KubeObject | undefined): void
  /** Completes an object about to be created. */
  create?(object: KubeObject, addresses: ServiceAddresses): void
  /** Completes an object about to be stored for the first time, in which nothing is wrong. */
  created?(object: KubeObject): void
  /** Completes an object about to be updated. */
  update?(object: KubeObject, old: KubeObject, part: Part, addresses: ServiceAddresses): void
  /** What is wrong with an object beside its metadata. */
  problems?(object: KubeObject, old: KubeObject | undefined): StatusCause[]
  /** Whether its metadata is looked at only if nothing else is wrong. */
  readonly checksMetadataLast?: boolean
  /** Refuses what can't be decoded, by a `DecodeError`, and gives values the form that decoding gives them. */
  decode?(object: KubeObject): void
  /** A finalizer that the first delete puts on. */
  readonly deletionFinalizer?: string
  /**
   * A delete that says nothing about dependents orphans them, and is answered with this warning, if there is one.
   *
   * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
   */
  readonly orphansByDefault?: { readonly warning: string | undefined }
  /** Says in an object that its deletion has begun. */
  marked?(object: KubeObject, now: string): void
  /** Whether a delete answers the object instead of a Status. */
  readonly answersDeleted?: boolean
  /** Whether an update of an object that is not there creates it. */
  readonly createsOnUpdate?: boolean
  /** Whether `metadata.generation` counts changes of annotations too. */
  readonly countsAnnotations?: boolean
}

const nameLabel = 'kubernetes.io/metadata.name'

function labelled(object: KubeObject): void {
  if ((object.metadata.name ?? '') === '') return
  object.metadata.labels = { ...object.metadata.labels, [nameLabel]: object.metadata.name ?? '' }
}

/** By this finalizer a definition stays until its objects are gone. */
export const definitionCleanup = 'customresourcecleanup.apiextensions.k8s.io'

/** The one text without a value that is printed, and that nobody owns. */
function nameService(object: KubeObject): void {
  object.spec = { ...objectAt(object, 'spec'), serviceName: stringAt(objectAt(object, 'spec'), 'serviceName') ?? '' }
}

const webhookConfiguration: Behaviour = { decode: completeConfiguration, problems: configurationProblems }

const behaviours: Readonly<Record<string, Behaviour>> = {
  'certificatesigningrequests.certificates.k8s.io': {
    problems: (object, old) => (old === undefined ? [] : decisionProblems(object, old, false)),
  },
  configmaps: { decode: readConfigMap, problems: configMapProblems },
  secrets: {
    decode: readSecret,
    create(object) {
      object.type ||= 'Opaque'
    },
    update(object, old) {
      object.type ??= own(old, 'type') as Json
    },
    problems: secretProblems,
  },
  nodes: {
    admit(object, old) {
      if (old === undefined) taintNewNode(object)
    },
  },
  namespaces: {
    decode: labelled,
    marked(object) {
      object.status = { ...objectAt(object, 'status'), phase: 'Terminating' }
    },
    create(object) {
      const given = objectAt(object, 'spec')?.finalizers
      const finalizers = Array.isArray(given) ? (given as Json[]) : []
      object.spec = { finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'] }
      object.status = { phase: 'Active' }
      labelled(object)
    },
    update(object, old, part) {
      labelled(object)
      // The list of finalizers changes only through the finalize subresource.
      if (part === 'finalize') return
      object.spec = { ...objectAt(object, 'spec'), finalizers: objectAt(old, 'spec')?.finalizers ?? [] }
    },
    problems(object, old) {
      if (old === undefined) return []
      const phase = stringAt(objectAt(object, 'status'), 'phase') ?? ''
      const going = object.metadata.deletionTimestamp !== undefined
      if (phase === (going ? 'Terminating' : 'Active')) return []
      const why = going
        ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
        : "may only be 'Active' if `deletionTimestamp` is empty"
      return [invalid('status.Phase', phase, why)]
    },
    answersDeleted: true,
  },
  pods: {
    create(object) {
      object.status = newPodStatus(object)
      const spec = objectAt(object, 'spec')
      const grace = own(spec ?? {}, 'terminationGracePeriodSeconds')
      // A Pod is given some time.
      if (typeof grace === 'number' && grace < 0) object.spec = { ...spec, terminationGracePeriodSeconds: 1 }
    },
    update(object, old) {
      object.status = { qosClass: own(objectAt(old, 'status') ?? {}, 'qosClass'), ...objectAt(object, 'status') }
    },
    admit: admitPod,
    problems: allOf(checked(checkPod), podProblems),
    answersDeleted: true,
  },
  'jobs.batch': {
    create: selectOwnPods,
    created: labelAsOwnPods,
    problems: allOf(checkedOnce(checkGeneratedSelector), checked(checkJob), jobProblems, jobStatusProblems),
    orphansByDefault: {
      warning:
        'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    },
  },
  replicationcontrollers: { orphansByDefault: { warning: undefined } },
  'cronjobs.batch': { problems: checked(checkCronJob) },
  'customresourcedefinitions.apiextensions.k8s.io': {
    decode: completeDefinition,
    deletionFinalizer: definitionCleanup,
    marked(object, now) {
      const status = { ...objectAt(object, 'status') }
      const conditions = (Array.isArray(status.conditions) ? status.conditions : []) as Json[]
      const others = conditions.filter(one => !isObject(one) || one.type !== 'Terminating')
      const terminating = {
        type: 'Terminating',
        status: 'True',
        lastTransitionTime: now,
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      }
      object.status = { ...status, conditions: [...others, terminating] }
    },
  },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfiguration,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfiguration,
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    decode: completePolicy,
    create(object) {
      object.status = {}
    },
    problems: policyProblems,
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    decode: completePolicy,
    problems: bindingProblems,
  },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': { decode: completePolicy, problems: mutatingProblems },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    decode: completePolicy,
    problems: mutatingBindingProblems,
  },
  'deployments.apps': {
    countsAnnotations: true,
    problems: allOf(checked(checkDeployment), immutable('spec.selector'), checkedStatus(checkDeploymentStatus)),
  },
  'daemonsets.apps': {
    create: object => nextTemplate(object, undefined),
    update: nextTemplate,
    problems: allOf(immutable('spec.selector'), checked(checkDaemonSet), checkedStatus(checkDaemonSetStatus)),
  },
  'replicasets.apps': {
    problems: allOf(checked(checkReplicaSet), immutable('spec.selector'), checkedStatus(checkReplicaSetStatus)),
  },
  'statefulsets.apps': {
    create: nameService,
    update: nameService,
    problems: allOf(
      checked(checkStatefulSet),
      immutable('spec.selector', 'spec.volumeClaimTemplates', 'spec.serviceName', 'spec.podManagementPolicy'),
      checkedStatus(checkStatefulSetStatus),
    ),
  },
  'controllerrevisions.apps': { problems: immutable('data') },
  persistentvolumeclaims: {
    admit(object, old) {
      const finalizers = object.metadata.finalizers ?? []
      if (old === undefined && !finalizers.includes(claimProtection))
        object.metadata.finalizers = [...finalizers, claimProtection]
    },
    problems: allOf(checked(checkClaim), claimProblems),
    answersDeleted: true,
  },
  persistentvolumes: { answersDeleted: true },
  podtemplates: { answersDeleted: true },
  resourcequotas: { answersDeleted: true },
  serviceaccounts: { answersDeleted: true },
  services: {
    create: (object, addresses) => allocate(object, undefined, addresses),
    update(object, old, part, addresses) {
      if (part === 'main') allocate(object, old, addresses)
    },
    problems: allOf(serviceProblems, checked(checkService)),
    answersDeleted: true,
    createsOnUpdate: true,
  },
  endpoints: { createsOnUpdate: true },
  events: { createsOnUpdate: true },
  limitranges: { createsOnUpdate: true },
  'leases.coordination.k8s.io': { createsOnUpdate: true },
  'clusterroles.rbac.authorization.k8s.io': { problems: checked(checkClusterRole), createsOnUpdate: true },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    problems: allOf(checked(checkClusterRoleBinding), immutable('roleRef')),
    createsOnUpdate: true,
  },
  'roles.rbac.authorization.k8s.io': { problems: checked(checkRole), createsOnUpdate: true },
  'rolebindings.rbac.authorization.k8s.io': {
    problems: allOf(checked(checkRoleBinding), immutable('roleRef')),
    createsOnUpdate: true,
  },
  'ingresses.networking.k8s.io': { problems: checked(checkIngress) },
  'networkpolicies.networking.k8s.io': { problems: checked(checkNetworkPolicy) },
  'poddisruptionbudgets.policy': { problems: checked(checkBudget), checksMetadataLast: true },
  'horizontalpodautoscalers.autoscaling': { problems: checked(checkAutoscaler) },
}

const none: Behaviour = {}

/** What is particular to this resource. */
export function behaviourOf(type: ResourceType): Behaviour {
  return type.custom ? none : (behaviours[resourceKey(type)] ?? none)
}

/** How long a pod's graceful deletion takes; 0 where nothing runs it. */
export function podGraceSeconds(object: KubeObject, asked: number | undefined): number {
  const spec = objectAt(object, 'spec')
  if (!isObject(spec) || !own(spec, 'nodeName')) return 0
  const own_ = own(spec, 'terminationGracePeriodSeconds')
  return asked ?? (typeof own_ === 'number' ? own_ : 30)
}

const userMetadata = ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const

/** Older built-ins, whose status is written with the metadata that comes along. */
const throughStatus: Readonly<Record<string, readonly (typeof userMetadata)[number][]>> = {
  ...Object.fromEntries(
    [
      ...['namespaces', 'nodes', 'persistentvolumeclaims', 'persistentvolumes', 'replicationcontrollers'],
      ...['resourcequotas', 'services', 'daemonsets.apps', 'replicasets.apps', 'statefulsets.apps'],
      ...['cronjobs.batch', 'jobs.batch', 'horizontalpodautoscalers.autoscaling', 'ingresses.networking.k8s.io'],
      'poddisruptionbudgets.policy',
    ].map(resource => [resource, userMetadata]),
  ),
  'deployments.apps': ['annotations', 'ownerReferences', 'finalizers'],
  pods: ['labels', 'annotations', 'finalizers'],
}

/** The metadata that a write to `status` of this resource writes too. */
export function statusWrites(type: ResourceType): readonly (typeof userMetadata)[number][] {
  return type.custom ? [] : (throughStatus[resourceKey(type)] ?? [])
}
