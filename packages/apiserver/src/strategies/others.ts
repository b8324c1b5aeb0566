import { fixed, immutable, immutableByTag } from '../builtin/immutable.ts'
import { checkAutoscaler } from '../builtin/validation/autoscaler.ts'
import { checkBudget } from '../builtin/validation/budget.ts'
import { allOf, checked, checkedOnce } from '../builtin/validation/causes.ts'
import { checkIngressClass, checkLease, checkPriorityClass, checkRuntimeClass } from '../builtin/validation/classes.ts'
import { checkIngress } from '../builtin/validation/ingress.ts'
import { checkNetworkPolicy } from '../builtin/validation/network-policy.ts'
import { decisionProblems } from '../write/parts.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of resources with few rules of their own. */
export const otherStrategies: Strategies = {
  'certificatesigningrequests.certificates.k8s.io': {
    problems: (object, old) => (old === undefined ? [] : decisionProblems(object, old, false)),
  },
  'storageclasses.storage.k8s.io': {
    problems: immutableByTag('parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'),
    answersDeleted: true,
  },
  'priorityclasses.scheduling.k8s.io': {
    problems: allOf(
      checkedOnce(checkPriorityClass),
      fixed({ value: 'may not be changed in an update.' }),
      immutable('preemptionPolicy'),
    ),
    keepsGeneration: true,
  },
  'ingressclasses.networking.k8s.io': { problems: allOf(immutable('spec.controller'), checked(checkIngressClass)) },
  'runtimeclasses.node.k8s.io': { problems: allOf(immutable('handler'), checked(checkRuntimeClass)) },
  podtemplates: { answersDeleted: true },
  resourcequotas: { answersDeleted: true },
  serviceaccounts: { answersDeleted: true },
  endpoints: { createsOnUpdate: true },
  events: { createsOnUpdate: true },
  limitranges: { createsOnUpdate: true },
  'leases.coordination.k8s.io': { createsOnUpdate: true, problems: checked(checkLease) },
  'ingresses.networking.k8s.io': { problems: checked(checkIngress) },
  'networkpolicies.networking.k8s.io': { problems: checked(checkNetworkPolicy) },
  'poddisruptionbudgets.policy': { problems: checked(checkBudget), checksMetadataLast: true },
  'horizontalpodautoscalers.autoscaling': { problems: checked(checkAutoscaler) },
}
