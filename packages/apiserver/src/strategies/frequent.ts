import { fixed, immutable } from '../builtin/immutable.ts'
import { allOf, checked, checkedOnce } from '../builtin/validation/causes.ts'
import { checkLease, checkPriorityClass } from '../builtin/validation/classes.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of resources with few rules of their own that the server or every operator writes. */
export const frequentStrategies: Strategies = {
  'priorityclasses.scheduling.k8s.io': {
    problems: allOf(
      checkedOnce(checkPriorityClass),
      fixed({ value: 'may not be changed in an update.' }),
      immutable('preemptionPolicy'),
    ),
    keepsGeneration: true,
  },
  serviceaccounts: { answersDeleted: true },
  'leases.coordination.k8s.io': { createsOnUpdate: true, problems: checked(checkLease) },
}
