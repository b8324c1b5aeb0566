import { objectAt } from '@wherry/cel/internal'
import { apiServiceStatusProblems, checkApiService } from '../builtin/validation/api-service.ts'
import { allOf, checked } from '../builtin/validation/causes.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of APIServices. */
export const apiServiceStrategies: Strategies = {
  'apiservices.apiregistration.k8s.io': {
    create(object) {
      if (objectAt(object, 'spec')?.service !== undefined) return
      const condition = {
        ...{ type: 'Available', status: 'True', lastTransitionTime: object.metadata.creationTimestamp ?? null },
        ...{ reason: 'Local', message: 'Local APIServices are always available' },
      }
      object.status = { conditions: [condition] }
    },
    problems: allOf(checked(checkApiService), apiServiceStatusProblems),
  },
}
