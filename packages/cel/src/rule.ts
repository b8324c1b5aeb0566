import { compile, type Program } from './compile.ts'
import { mostOf, type Sizes, sizesOfSchema } from './cost/schema-sizes.ts'
import { typeOfSchema } from './schema-types.ts'
import type { Schema } from './structural/schema.ts'
import type { ValidationRule } from './structural/validation-rule.ts'
import { optionalOf, type Type } from './types.ts'

/** A rule that can be evaluated. */
export interface CompiledRule {
  readonly rule: ValidationRule
  /** The compiled rule; `undefined` if it has a `problem`. */
  readonly program: Program | undefined
  readonly problem: string
  readonly message: Program | undefined
  readonly messageProblem: string
  readonly usesOldSelf: boolean
}

/** The name of a resource's type in messages. A real server numbers the types, but expressions can't depend on the number. */
const selfType = 'selfType0'

/** The costs of a node's rules, as a real server estimates them. */
export interface RuleCosts {
  /** The maximum number of the node's values in a request. */
  readonly times: number
  rule(rule: CompiledRule): number
  message(rule: CompiledRule): number
}

/** The costs of rules that were compiled for the same node. */
export function costsOfRules(schema: Schema, isResource: boolean): RuleCosts {
  const sizes = sizesOfSchema(schema, isResource) as Sizes
  return {
    times: mostOf(sizes),
    rule: ({ program }) => program?.estimate(sizes) ?? 0,
    message: ({ message }) => message?.estimate(sizes) ?? 0,
  }
}

/** Compiles the rules of a node; `undefined` if expressions can't read its values. */
export function compileRules(schema: Schema, isResource: boolean): CompiledRule[] | undefined {
  const self = typeOfSchema(schema, isResource, selfType)
  return self && schema.rules.map(rule => compileRule(rule, self))
}

function compileRule(rule: ValidationRule, self: Type): CompiledRule {
  const oldSelf = rule.optionalOldSelf === true ? optionalOf(self) : self
  const variables = new Map([
    ['self', self],
    ['oldSelf', oldSelf],
  ])
  const main = compiled(rule.rule, variables, 'bool', '', 'cel expression must evaluate to a bool')
  const given = main.program !== undefined && rule.messageExpression !== ''
  const must = 'messageExpression must evaluate to a string'
  const text = given ? compiled(rule.messageExpression, variables, 'string', 'messageExpression ', must) : none
  return {
    rule,
    ...main,
    message: text.program,
    messageProblem: text.problem,
    usesOldSelf: main.program?.reads.has('oldSelf') === true,
  }
}

const none = { program: undefined, problem: '' }

function compiled(
  source: string,
  variables: ReadonlyMap<string, Type>,
  type: string,
  what: string,
  must: string,
): { readonly program: Program | undefined; readonly problem: string } {
  const result = compile(source, variables)
  if ('issues' in result) {
    const how = result.instantiation ? `${what === '' ? 'program ' : what}instantiation` : `${what}compilation`
    return { program: undefined, problem: `${how} failed: ${result.issues}` }
  }
  return result.type.name === type ? { program: result, problem: '' } : { program: undefined, problem: must }
}
