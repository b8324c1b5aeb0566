import { claimProblems, claimProtection } from '../builtin/claim-updates.ts'
import { allOf, checked } from '../builtin/validation/causes.ts'
import { checkClaim } from '../builtin/validation/claim.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of PersistentVolumeClaims. */
export const claimStrategies: Strategies = {
  persistentvolumeclaims: {
    admit(object, old) {
      const finalizers = object.metadata.finalizers ?? []
      if (old === undefined && !finalizers.includes(claimProtection))
        object.metadata.finalizers = [...finalizers, claimProtection]
    },
    problems: allOf(checked(checkClaim), claimProblems),
    answersDeleted: true,
  },
}
