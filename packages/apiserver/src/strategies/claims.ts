import { claimProblems, claimProtection, completeSources, dropFromStatus } from '../builtin/claim-updates.ts'
import { allOf, checkedStatus } from '../builtin/validation/causes.ts'
import { checkClaimStatus, newClaimProblems } from '../builtin/validation/claim.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of PersistentVolumeClaims. */
export const claimStrategies: Strategies = {
  persistentvolumeclaims: {
    admit(object, old) {
      const finalizers = object.metadata.finalizers ?? []
      if (old === undefined && !finalizers.includes(claimProtection))
        object.metadata.finalizers = [...finalizers, claimProtection]
    },
    create: claim => completeSources(claim, undefined),
    update(claim, old, part) {
      if (part === 'main') completeSources(claim, old)
      else if (part === 'status') dropFromStatus(claim, 'healthStatus')
    },
    problems: allOf(newClaimProblems, claimProblems, checkedStatus(checkClaimStatus)),
    answersDeleted: true,
  },
}
