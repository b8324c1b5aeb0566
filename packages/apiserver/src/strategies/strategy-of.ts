import type { ResourceType } from '../resources/resource-type.ts'
import { resourceKey } from '../store/store.ts'
import type { Strategies, Strategy } from '../write/strategy.ts'
import { admissionStrategies } from './admission.ts'
import { claimStrategies } from './claims.ts'
import { dataStrategies } from './data.ts'
import { definitionStrategies } from './definitions.ts'
import { frequentStrategies } from './frequent.ts'
import { jobStrategies } from './jobs.ts'
import { namespaceStrategies } from './namespaces.ts'
import { otherStrategies } from './others.ts'
import { podStrategies } from './pods.ts'
import { rbacStrategies } from './rbac.ts'
import { serviceStrategies } from './services.ts'
import { workloadStrategies } from './workloads.ts'

const all: Strategies = {
  ...dataStrategies,
  ...namespaceStrategies,
  ...podStrategies,
  ...jobStrategies,
  ...workloadStrategies,
  ...definitionStrategies,
  ...admissionStrategies,
  ...claimStrategies,
  ...serviceStrategies,
  ...rbacStrategies,
  ...frequentStrategies,
  ...otherStrategies,
}

const none: Strategy = {}

/** The strategy of a built-in resource. The strategy of a custom resource adds nothing to the rules of all resources. */
export function strategyOf(type: ResourceType): Strategy {
  if (type.custom) return none
  const key = resourceKey(type)
  return all[key] ?? none
}
