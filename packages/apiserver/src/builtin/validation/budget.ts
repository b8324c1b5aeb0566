import { objectAt, own, stringAt } from '@wherry/cel/internal'
import type { Check } from './causes.ts'
import { checkAtMostAll, checkIntOrPercent } from './int-or-percent.ts'
import { checkSelector, printedSelector } from './label-selector.ts'

export const checkBudget: Check = (budget, causes) => {
  const spec = objectAt(budget, 'spec') ?? {}
  const [min, max] = [own(spec, 'minAvailable'), own(spec, 'maxUnavailable')]
  const policy = stringAt(spec, 'unhealthyPodEvictionPolicy')
  if (min !== undefined && max !== undefined) {
    // The server prints its own type.
    const printed = {
      MinAvailable: min,
      Selector: printedSelector(objectAt(spec, 'selector')),
      MaxUnavailable: max,
      UnhealthyPodEvictionPolicy: policy ?? null,
    }
    causes.invalid('spec', printed, 'minAvailable and maxUnavailable cannot be both set')
  }
  for (const [name, value] of Object.entries({ minAvailable: min, maxUnavailable: max })) {
    checkIntOrPercent(`spec.${name}`, value, causes)
    checkAtMostAll(`spec.${name}`, value, causes)
  }
  checkSelector('spec.selector', objectAt(spec, 'selector'), causes)
  const known = ['AlwaysAllow', 'IfHealthyBudget']
  if (policy !== undefined && !known.includes(policy)) {
    causes.unsupported('spec.unhealthyPodEvictionPolicy', policy, known)
  }
}
