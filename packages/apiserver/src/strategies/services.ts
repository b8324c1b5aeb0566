import { allocate, serviceProblems } from '../builtin/service.ts'
import { allOf, checked, checkedStatus } from '../builtin/validation/causes.ts'
import { checkServiceStatus } from '../builtin/validation/rarer-status.ts'
import { checkService } from '../builtin/validation/service.ts'
import { addressProblems } from '../builtin/validation/service-ips.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of Services. */
export const serviceStrategies: Strategies = {
  services: {
    create: (object, addresses) => allocate(object, undefined, addresses, addressProblems),
    update(object, old, part, addresses) {
      if (part === 'main') allocate(object, old, addresses, addressProblems)
    },
    problems: allOf(serviceProblems, checked(checkService), checkedStatus(checkServiceStatus)),
    answersDeleted: true,
    createsOnUpdate: true,
  },
}
