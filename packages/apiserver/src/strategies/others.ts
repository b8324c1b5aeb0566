import { objectAt, own } from '@wherry/cel/internal'
import { dropFromStatus } from '../builtin/claim-updates.ts'
import { fixed, immutable, immutableByTag } from '../builtin/immutable.ts'
import { fillAllocatable, readNode, taintNewNode } from '../builtin/node.ts'
import { checkAutoscaler } from '../builtin/validation/autoscaler.ts'
import { checkBudget } from '../builtin/validation/budget.ts'
import { allOf, checked, checkedOnce, checkedStatus, checkedUpdate } from '../builtin/validation/causes.ts'
import { checkCertificateRequest, checkRequestStatus } from '../builtin/validation/certificate-request.ts'
import { checkIngressClass, checkRuntimeClass } from '../builtin/validation/classes.ts'
import { checkEndpointSlice, checkEndpoints, dropTopology } from '../builtin/validation/endpoints.ts'
import { checkCoreEvent, checkEventOfGroup, checkNewEvent, eventProblems } from '../builtin/validation/event.ts'
import { checkIngress } from '../builtin/validation/ingress.ts'
import { checkNetworkPolicy } from '../builtin/validation/network-policy.ts'
import { checkNode, checkNodeUpdate, nodeProblems } from '../builtin/validation/node.ts'
import { checkPersistentVolume, volumeProblems } from '../builtin/validation/persistent-volume.ts'
import { checkLimitRange, checkQuota, checkQuotaStatus, quotaProblems } from '../builtin/validation/quota.ts'
import { checkAutoscalerStatus, checkBudgetStatus, checkIngressStatus } from '../builtin/validation/rarer-status.ts'
import {
  checkCsiNode,
  checkDriver,
  checkStorageClass,
  checkVolumeAttributesClass,
  countChange,
  csiNodeProblems,
  driverUpdateProblems,
  driverWarnings,
} from '../builtin/validation/storage.ts'
import { decisionProblems } from '../write/parts.ts'
import type { Strategies } from '../write/strategy.ts'
import { apiServiceStrategies } from './api-services.ts'

/** The strategies of resources that few clients write. */
export const otherStrategies: Strategies = {
  ...apiServiceStrategies,
  'certificatesigningrequests.certificates.k8s.io': {
    // A request does not change after it was made.
    update(object, old) {
      object.spec = own(old, 'spec') as never
    },
    problems: allOf(checkedOnce(checkCertificateRequest), checkedStatus(checkRequestStatus), (object, old) =>
      old === undefined ? [] : decisionProblems(object, old, false),
    ),
    checksMetadataLast: 'name',
  },
  'storageclasses.storage.k8s.io': {
    problems: allOf(
      checked(checkStorageClass),
      immutableByTag('parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'),
    ),
    answersDeleted: true,
  },
  'volumeattributesclasses.storage.k8s.io': {
    problems: allOf(
      fixed({
        driverName: 'updates to driverName are forbidden.',
        parameters: 'updates to parameters are forbidden.',
      }),
      checked(checkVolumeAttributesClass),
    ),
  },
  'csidrivers.storage.k8s.io': {
    update: countChange,
    problems: allOf(checked(checkDriver), driverUpdateProblems),
    warnings: driverWarnings,
  },
  'csinodes.storage.k8s.io': {
    update(node, _, part) {
      if (part === 'status') dropFromStatus(node, 'storageHealth')
    },
    problems: allOf(checked(checkCsiNode), csiNodeProblems),
  },
  'ingressclasses.networking.k8s.io': { problems: allOf(immutable('spec.controller'), checked(checkIngressClass)) },
  'runtimeclasses.node.k8s.io': { problems: allOf(immutable('handler'), checked(checkRuntimeClass)) },
  resourcequotas: {
    problems: allOf(checked(checkQuota), quotaProblems, checkedStatus(checkQuotaStatus)),
    answersDeleted: true,
  },
  endpoints: { createsOnUpdate: true, problems: checked(checkEndpoints) },
  'endpointslices.discovery.k8s.io': {
    create: dropTopology,
    warnings: (object, old) =>
      old === undefined && own(object, 'addressType') === 'FQDN'
        ? ['spec.addressType: FQDN endpoints are deprecated']
        : [],
    update: dropTopology,
    problems: allOf(checked(checkEndpointSlice), immutableByTag('addressType')),
    alsoCounts: 'labels',
  },
  events: { createsOnUpdate: true, problems: checked(checkCoreEvent), checksMetadataLast: true },
  'events.events.k8s.io': {
    createsOnUpdate: true,
    problems: allOf(checked(checkEventOfGroup), checkedOnce(checkNewEvent), eventProblems),
  },
  limitranges: {
    createsOnUpdate: true,
    namesItself: true,
    problems: checked(checkLimitRange),
  },
  'ingresses.networking.k8s.io': { problems: allOf(checked(checkIngress), checkedStatus(checkIngressStatus)) },
  'networkpolicies.networking.k8s.io': { problems: checked(checkNetworkPolicy) },
  'poddisruptionbudgets.policy': {
    problems: allOf(checked(checkBudget), checkedStatus(checkBudgetStatus)),
    checksMetadataLast: true,
  },
  'horizontalpodautoscalers.autoscaling': {
    problems: allOf(checked(checkAutoscaler), checkedStatus(checkAutoscalerStatus)),
  },
  nodes: {
    decode: readNode,
    admit(object, old) {
      if (old === undefined) taintNewNode(object)
    },
    stored: fillAllocatable,
    takesStatus: true,
    // A real server checks an update of the spec twice.
    problems: allOf(checked(checkNode), checkedUpdate(checkNodeUpdate), nodeProblems),
  },
  persistentvolumes: {
    create(object) {
      object.status = {
        ...objectAt(object, 'status'),
        lastPhaseTransitionTime: object.metadata.creationTimestamp ?? null,
      }
    },
    answersDeleted: true,
    problems: allOf(checked(checkPersistentVolume), volumeProblems),
  },
}
