import { objectAt, stringAt } from '@wherry/cel/internal'
import { nextTemplate } from '../builtin/daemon-set.ts'
import { immutable } from '../builtin/immutable.ts'
import { hasSameTemplate, namedTemplateWarnings, templateWarnings } from '../builtin/pod-warnings.ts'
import { allOf, checked, checkedOnce, checkedStatus } from '../builtin/validation/causes.ts'
import { checkRevision, checkRevisionData } from '../builtin/validation/classes.ts'
import {
  checkDaemonSetStatus,
  checkDeploymentStatus,
  checkReplicaSetStatus,
  checkStatefulSetStatus,
} from '../builtin/validation/status.ts'
import {
  checkDaemonSet,
  checkDeployment,
  checkPodTemplate,
  checkReplicaSet,
  checkReplicationController,
  checkStatefulSet,
} from '../builtin/validation/workloads.ts'
import type { KubeObject } from '../objects/object.ts'
import type { Strategies } from '../write/strategy.ts'

/** Fills in `serviceName`, which is printed even if it is empty, and which then has no owner. */
function nameService(object: KubeObject): void {
  object.spec = { ...objectAt(object, 'spec'), serviceName: stringAt(objectAt(object, 'spec'), 'serviceName') ?? '' }
}

/** The strategies of Deployments, DaemonSets, ReplicaSets, StatefulSets and the objects that they manage. */
export const workloadStrategies: Strategies = {
  replicationcontrollers: {
    orphansByDefault: { warning: undefined },
    problems: allOf(checked(checkReplicationController), checkedStatus(checkReplicaSetStatus)),
    warnings: namedTemplateWarnings('spec.template'),
  },
  'deployments.apps': {
    alsoCounts: 'annotations',
    warnings: namedTemplateWarnings('spec.template'),
    problems: allOf(checked(checkDeployment), immutable('spec.selector'), checkedStatus(checkDeploymentStatus)),
  },
  'daemonsets.apps': {
    create: object => nextTemplate(object, undefined),
    update: nextTemplate,
    warnings: templateWarnings('spec.template', hasSameTemplate),
    problems: allOf(immutable('spec.selector'), checked(checkDaemonSet), checkedStatus(checkDaemonSetStatus)),
  },
  'replicasets.apps': {
    warnings: namedTemplateWarnings('spec.template'),
    problems: allOf(checked(checkReplicaSet), immutable('spec.selector'), checkedStatus(checkReplicaSetStatus)),
  },
  'statefulsets.apps': {
    create: nameService,
    update: nameService,
    warnings: templateWarnings('spec.template'),
    problems: allOf(
      checked(checkStatefulSet),
      immutable('spec.selector', 'spec.volumeClaimTemplates', 'spec.serviceName', 'spec.podManagementPolicy'),
      checkedStatus(checkStatefulSetStatus),
    ),
  },
  'controllerrevisions.apps': {
    problems: allOf(checked(checkRevision), checkedOnce(checkRevisionData), immutable('data')),
  },
  podtemplates: {
    answersDeleted: true,
    problems: checked(checkPodTemplate),
    warnings: namedTemplateWarnings('template'),
  },
}
