import type { Scenario } from '../scenario.ts'
import { accessScenarios } from './access.ts'
import { applyScenarios } from './apply-basics.ts'
import { applyCustomScenarios } from './apply-custom.ts'
import { emptiedScenarios } from './apply-emptied.ts'
import { managedScenarios } from './apply-managed.ts'
import { defaultsScenarios } from './built-in-defaults.ts'
import { fieldScenarios } from './built-in-fields.ts'
import { rarerBuiltinScenarios } from './built-in-rarer.ts'
import { refusalScenarios } from './built-in-refusals.ts'
import { tableScenarios } from './built-in-tables.ts'
import { updateScenarios } from './built-in-updates.ts'
import { builtinScenarios } from './builtin.ts'
import { customScenarios } from './custom.ts'
import { discoveryScenarios } from './discovery.ts'
import { orderScenarios } from './field-order.ts'
import { fieldSelectorScenarios } from './field-selectors.ts'
import { kubectlScenarios } from './kubectl.ts'
import { pathScenarios } from './paths.ts'
import { podClassScenarios } from './pod-classes.ts'
import { rarerScenarios } from './rarer-endpoints.ts'
import { readScenarios } from './read.ts'
import { restartScenarios } from './restart.ts'
import { reviewScenarios } from './reviews.ts'
import { ruleCostScenarios } from './rule-costs.ts'
import { ruleScenarios } from './rules.ts'
import { storedElsewhereScenarios } from './stored-elsewhere.ts'
import { strategicScenarios } from './strategic-merge.ts'
import { writeScenarios } from './write.ts'

/** All that both servers are asked. */
export const scenarios: readonly Scenario[] = [
  ...writeScenarios,
  ...readScenarios,
  ...customScenarios,
  ...ruleScenarios,
  ...ruleCostScenarios,
  ...builtinScenarios,
  ...fieldScenarios,
  ...defaultsScenarios,
  ...updateScenarios,
  ...refusalScenarios,
  ...podClassScenarios,
  ...rarerBuiltinScenarios,
  ...tableScenarios,
  ...accessScenarios,
  ...reviewScenarios,
  ...discoveryScenarios,
  ...applyScenarios,
  ...managedScenarios,
  ...emptiedScenarios,
  ...applyCustomScenarios,
  ...strategicScenarios,
  ...storedElsewhereScenarios,
  ...rarerScenarios,
  ...fieldSelectorScenarios,
  ...orderScenarios,
  ...kubectlScenarios,
  ...pathScenarios,
  ...restartScenarios,
]
