export {
  compileExpression,
  conditionsHold,
  type Declared,
  type Expression,
  evaluateExpression,
  type Input,
  inputValues,
  type Variable,
} from '../admission.ts'
export { type CompiledPolicy, compilePolicy, evaluateValidations } from '../compiled-policy.ts'
export { definitionRuleProblems } from '../definition-rules.ts'
export { jsonOf, MutationError, nameProblems, operationsOf } from '../mutation.ts'
export { type CompiledRule, compileRules, costsOfRules, type RuleCosts } from '../rule.ts'
export { ruleProblems, usableMessage } from '../validator.ts'
