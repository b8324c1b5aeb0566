import { dnsLabelProblems, type Json, type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import { selectsAll } from '../../selectors/match.ts'
import type { Causes, Check } from './causes.ts'
import { amountOf, checkAtMostAll, checkIntOrPercent } from './int-or-percent.ts'
import { checkSelector, checkSelects, isUsableSelector, printedSelector } from './label-selector.ts'
import { checkTemplate } from './pod.ts'

export const checkDeployment: Check = (deployment, causes) => {
  const spec = objectAt(deployment, 'spec') ?? {}
  causes.notNegative('spec.replicas', own(spec, 'replicas'))
  checkOwnSelector(spec, 'deployment', causes)
  checkReplicaTemplate(spec, causes)
  checkDeploymentStrategy(objectAt(spec, 'strategy') ?? {}, causes)
  for (const field of ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']) {
    causes.notNegative(`spec.${field}`, own(spec, field))
  }
  const deadline = own(spec, 'progressDeadlineSeconds')
  if (typeof deadline === 'number' && deadline <= Number(own(spec, 'minReadySeconds') ?? 0)) {
    causes.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')
  }
}

export const checkReplicaSet: Check = (replicaSet, causes) => {
  const spec = objectAt(replicaSet, 'spec') ?? {}
  causes.notNegative('spec.replicas', own(spec, 'replicas'))
  causes.notNegative('spec.minReadySeconds', own(spec, 'minReadySeconds'))
  // A real server uses the message for Deployments.
  checkOwnSelector(spec, 'deployment', causes)
  checkReplicaTemplate(spec, causes)
}

export const checkReplicationController: Check = (controller, causes) => {
  const spec = objectAt(controller, 'spec') ?? {}
  const [labels, template] = [objectAt(spec, 'selector') ?? {}, objectAt(spec, 'template')]
  causes.last.notNegative('spec.replicas', own(spec, 'replicas'))
  causes.last.notNegative('spec.minReadySeconds', own(spec, 'minReadySeconds'))
  const isEmpty = Object.keys(labels).length === 0
  if (isEmpty) causes.required('spec.selector')
  if (template === undefined) return causes.required('spec.template')
  if (!isEmpty) checkSelects('spec.template.metadata.labels', { matchLabels: labels }, labelsOf(template), causes)
  checkTemplate('spec.template', template, causes)
  checkRunsAlways(template, 'ReplicationController', causes)
}

export const checkPodTemplate: Check = (template, causes) => {
  checkTemplate('template', objectAt(template, 'template'), causes)
}

export const checkDaemonSet: Check = (daemonSet, causes) => {
  const spec = objectAt(daemonSet, 'spec') ?? {}
  const [selector, template] = [objectAt(spec, 'selector'), objectAt(spec, 'template')]
  checkSelector('spec.selector', selector, causes)
  if (isUsableSelector(selector)) {
    checkSelects('spec.template.metadata.labels', selector, labelsOf(template), causes)
  }
  if (selector !== undefined && selectsAll(selector)) {
    causes.invalid('spec.selector', printedSelector(selector), 'empty selector is invalid for daemonset')
  }
  checkTemplate('spec.template', template, causes)
  checkRunsAlways(template, 'DaemonSet', causes)
  causes.notNegative('spec.minReadySeconds', own(spec, 'minReadySeconds'))
  checkDaemonSetStrategy(objectAt(spec, 'updateStrategy') ?? {}, causes)
  causes.notNegative('spec.revisionHistoryLimit', own(spec, 'revisionHistoryLimit'))
}

export const checkStatefulSet: Check = (statefulSet, causes) => {
  const spec = objectAt(statefulSet, 'spec') ?? {}
  const [selector, template] = [objectAt(spec, 'selector'), objectAt(spec, 'template')]
  const policy = stringAt(spec, 'podManagementPolicy') ?? ''
  if (!['OrderedReady', 'Parallel'].includes(policy)) {
    causes.invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")
  }
  checkStatefulSetStrategy(objectAt(spec, 'updateStrategy') ?? {}, causes)
  for (const name of ['whenDeleted', 'whenScaled']) {
    const retention = stringAt(objectAt(spec, 'persistentVolumeClaimRetentionPolicy'), name) ?? ''
    if (['Retain', 'Delete'].includes(retention)) continue
    causes.unsupported(`spec.persistentVolumeClaimRetentionPolicy.${name}`, retention, ['Retain', 'Delete'])
  }
  causes.notNegative('spec.replicas', own(spec, 'replicas'))
  causes.notNegative('spec.minReadySeconds', own(spec, 'minReadySeconds'))
  causes.notNegative('spec.ordinals.start', own(objectAt(spec, 'ordinals') ?? {}, 'start'))
  const service = stringAt(spec, 'serviceName') ?? ''
  if (service !== '') causes.invalid('spec.serviceName', service, ...dnsLabelProblems(service))
  checkOwnSelector(spec, 'statefulset', causes)
  if (isUsableSelector(selector)) {
    if (selector === undefined || !selectsAll(selector)) {
      checkSelects('spec.template.metadata.labels', selector, labelsOf(template), causes)
    }
    const claims = objectsAt(spec, 'volumeClaimTemplates').map(claim => stringAt(objectAt(claim, 'metadata'), 'name'))
    // Each Pod gets its own name and domain.
    const { hostname: _h, subdomain: _s, ...podSpec } = objectAt(template, 'spec') ?? {}
    checkTemplate('spec.template', { ...template, spec: podSpec }, causes, claims as string[])
  } else causes.invalid('spec.selector', printedSelector(selector), '')
  checkRunsAlways(template, 'StatefulSet', causes)
}

function labelsOf(template: JsonObject | undefined): JsonObject | undefined {
  return objectAt(objectAt(template, 'metadata'), 'labels')
}

/** Checks the selector of a workload. It is required, and must not be empty. */
function checkOwnSelector(spec: JsonObject, kind: string, causes: Causes): void {
  const selector = objectAt(spec, 'selector')
  if (selector === undefined) return causes.required('spec.selector')
  checkSelector('spec.selector', selector, causes)
  if (selectsAll(selector)) {
    causes.invalid('spec.selector', printedSelector(selector), `empty selector is invalid for ${kind}`)
  }
}

function checkReplicaTemplate(spec: JsonObject, causes: Causes): void {
  const [selector, template] = [objectAt(spec, 'selector'), objectAt(spec, 'template')]
  if (!isUsableSelector(selector))
    return causes.invalid('spec.selector', printedSelector(selector), 'invalid label selector')
  // An absent selector selects nothing, which is reported as well.
  if (selector === undefined || !selectsAll(selector)) {
    checkSelects('spec.template.metadata.labels', selector, labelsOf(template), causes)
  }
  checkTemplate('spec.template', template, causes)
  checkRunsAlways(template, 'ReplicaSet', causes)
}

function checkRunsAlways(template: JsonObject | undefined, kind: string, causes: Causes): void {
  const spec = objectAt(template, 'spec') ?? {}
  const policy = stringAt(spec, 'restartPolicy') ?? ''
  if (policy !== 'Always') causes.unsupported('spec.template.spec.restartPolicy', policy, ['Always'])
  if (own(spec, 'activeDeadlineSeconds') === undefined) return
  causes.forbidden('spec.template.spec.activeDeadlineSeconds', `activeDeadlineSeconds in ${kind} is not Supported`)
}

/** A strategy as the server's own type prints it. */
function printed(strategy: JsonObject, inner: (rolling: JsonObject) => Json = rolling => rolling): Json {
  const rolling = objectAt(strategy, 'rollingUpdate')
  return { Type: stringAt(strategy, 'type') ?? '', RollingUpdate: rolling === undefined ? null : inner(rolling) }
}

/** The rolling update of a StatefulSet, as the server's own type prints it. */
function printedRolling(rolling: JsonObject): Json {
  return { Partition: own(rolling, 'partition') ?? 0, MaxUnavailable: own(rolling, 'maxUnavailable') ?? null }
}

function checkDeploymentStrategy(strategy: JsonObject, causes: Causes): void {
  const [type, rolling] = [stringAt(strategy, 'type') ?? '', objectAt(strategy, 'rollingUpdate')]
  const at = 'spec.strategy.rollingUpdate'
  if (type === 'Recreate') {
    if (rolling !== undefined) {
      causes.forbidden(at, "may not be specified when strategy `type` is 'Recreate'")
    }
  } else if (type === 'RollingUpdate') {
    const [gone, surge] = [own(rolling ?? {}, 'maxUnavailable'), own(rolling ?? {}, 'maxSurge')]
    checkIntOrPercent(`${at}.maxUnavailable`, gone, causes)
    checkIntOrPercent(`${at}.maxSurge`, surge, causes)
    if (amountOf(gone) === 0 && amountOf(surge) === 0) {
      causes.invalid(`${at}.maxUnavailable`, gone, 'may not be 0 when `maxSurge` is 0')
    }
    checkAtMostAll(`${at}.maxUnavailable`, gone, causes)
  } else causes.unsupported('spec.strategy', printed(strategy), ['Recreate', 'RollingUpdate'])
}

function checkDaemonSetStrategy(strategy: JsonObject, causes: Causes): void {
  const [type, rolling] = [stringAt(strategy, 'type') ?? '', objectAt(strategy, 'rollingUpdate') ?? {}]
  const at = 'spec.updateStrategy.rollingUpdate'
  if (type === 'OnDelete') return
  if (type !== 'RollingUpdate') {
    return causes.unsupported('spec.updateStrategy', printed(strategy), ['RollingUpdate', 'OnDelete'])
  }
  const [gone, surge] = [own(rolling, 'maxUnavailable'), own(rolling, 'maxSurge')]
  for (const check of [checkIntOrPercent, checkAtMostAll]) {
    check(`${at}.maxUnavailable`, gone, causes)
    check(`${at}.maxSurge`, surge, causes)
  }
  const [some, more] = [amountOf(gone) !== 0, amountOf(surge) !== 0]
  if (some && more) causes.invalid(`${at}.maxSurge`, surge, 'may not be set when maxUnavailable is non-zero')
  else if (!(some || more)) causes.required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')
}

function checkStatefulSetStrategy(strategy: JsonObject, causes: Causes): void {
  const [type, rolling] = [stringAt(strategy, 'type') ?? '', objectAt(strategy, 'rollingUpdate')]
  const at = 'spec.updateStrategy.rollingUpdate'
  if (type === 'OnDelete') {
    if (rolling !== undefined)
      causes.invalid(at, printedRolling(rolling), "only allowed for updateStrategy 'RollingUpdate'")
  } else if (type === 'RollingUpdate') {
    if (rolling === undefined) return
    causes.notNegative(`${at}.partition`, own(rolling, 'partition'))
    const gone = own(rolling, 'maxUnavailable')
    if (gone === undefined) return
    checkIntOrPercent(`${at}.maxUnavailable`, gone, causes)
    if (amountOf(gone) === 0) causes.invalid(`${at}.maxUnavailable`, gone, 'cannot be 0')
    checkAtMostAll(`${at}.maxUnavailable`, gone, causes)
  } else
    causes.invalid('spec.updateStrategy', printed(strategy, printedRolling), "must be 'RollingUpdate' or 'OnDelete'")
}
