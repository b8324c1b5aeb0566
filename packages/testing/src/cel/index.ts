export { type CompiledRule, compileRules } from './rule.ts'
export { ruleProblems } from './validator.ts'
