import { allocate, serviceProblems } from '../builtin/service.ts'
import { allOf, checked } from '../builtin/validation/causes.ts'
import { checkService } from '../builtin/validation/service.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of Services. */
export const serviceStrategies: Strategies = {
  services: {
    create: (object, addresses) => allocate(object, undefined, addresses),
    update(object, old, part, addresses) {
      if (part === 'main') allocate(object, old, addresses)
    },
    problems: allOf(serviceProblems, checked(checkService)),
    answersDeleted: true,
    createsOnUpdate: true,
  },
}
