import { below, type Expr } from './ast.ts'
import { type Checked, check } from './checker.ts'
import { estimateCost } from './cost/estimate.ts'
import type { Meter } from './cost/meter.ts'
import type { Sizes } from './cost/schema-sizes.ts'
import type { Functions } from './declarations.ts'
import { functions as plainFunctions, typeVariables } from './environment.ts'
import { evaluate, type Variables } from './evaluate.ts'
import { compileRegex } from './functions/regex.ts'
import { type Issue, printIssues, SyntaxIssue } from './issues.ts'
import { literalIssues } from './literals.ts'
import { parse } from './parser.ts'
import type { Type } from './types.ts'
import { CelError, type Value } from './values.ts'

/** An expression that can be evaluated. */
export interface Program {
  /** The type of the result. */
  readonly type: Type
  /** The variables that the expression reads. */
  readonly reads: ReadonlySet<string>
  /** The maximum cost of an evaluation, in the server's units, with values of these sizes in its variables. */
  estimate(sizes: Sizes): number
  /** Evaluates the expression, and counts the cost on `meter`. Throws a `CelError`. */
  evaluate(variables: Variables, meter?: Meter): Value
}

/** An expression that can't be evaluated, with the reason in the server's words. */
export interface Refused {
  readonly issues: string
  /** Whether the reason is a constant that can't be evaluated, such as a bad pattern. */
  readonly instantiation: boolean
}

/** The messages that an expression may make, and all functions that such an expression may call. */
export interface Messages {
  readonly message: (name: string) => Type | undefined
  readonly functions: Functions
}

const conversions = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
])

/** The error of a constant's conversion or of a constant pattern. A real server evaluates these before any evaluation. */
function constantProblem(expr: Expr, checked: Checked): string | undefined {
  for (const child of below(expr)) {
    const problem = constantProblem(child, checked)
    if (problem !== undefined) return problem
  }
  if (expr.kind === 'call' && (expr.name === 'find' || expr.name === 'findAll')) {
    const pattern = expr.args[0]
    if (pattern?.kind === 'literal' && typeof pattern.value === 'string') return patternProblem(pattern.value)
  }
  if (expr.kind === 'literal' || !isConstant(expr)) return undefined
  try {
    evaluate(expr, checked, plainFunctions, new Map())
    return undefined
  } catch (error) {
    if (error instanceof CelError) return error.message
    throw error
  }
}

function patternProblem(pattern: string): string | undefined {
  try {
    compileRegex(pattern)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Collects the largest constant parts of an expression. */
function collectConstants(expr: Expr, into: Set<Expr>): void {
  if (isConstant(expr)) into.add(expr)
  else for (const child of below(expr)) collectConstants(child, into)
}

function isConstant(expr: Expr): boolean {
  if (expr.kind === 'list') return expr.optional.size === 0 && expr.elements.every(isConstant)
  if (expr.kind === 'map')
    return expr.entries.every(one => !one.optional && isConstant(one.key) && isConstant(one.value))
  if (expr.kind !== 'call') return expr.kind === 'literal'
  const [first] = expr.args
  return expr.target === undefined && conversions.has(expr.name) && first !== undefined && isConstant(first)
}

/** Parses and checks an expression in Kubernetes' environment, with these variables. */
export function compile(
  source: string,
  variables: ReadonlyMap<string, Type>,
  more?: Messages | undefined,
): Program | Refused {
  const functions = more?.functions ?? plainFunctions
  const refused = (issues: readonly Issue[]): Refused => ({ issues: printIssues(source, issues), instantiation: false })
  try {
    const expr = parse(source)
    const checked = check(expr, {
      functions,
      variables: new Map([...typeVariables, ...variables]),
      message: more?.message,
    })
    if (checked.issues.length > 0) return refused(checked.issues)
    const literals = literalIssues(expr, checked)
    if (literals.length > 0) return refused(literals)
    const constant = constantProblem(expr, checked)
    if (constant !== undefined) return { issues: constant, instantiation: true }
    const { type } = checked
    const reads = new Set([...checked.reads].filter(name => variables.has(name)))
    const constants = new Set<Expr>()
    collectConstants(expr, constants)
    return {
      type,
      reads,
      estimate: sizes => estimateCost(expr, checked, sizes),
      evaluate: (values, meter) => evaluate(expr, checked, functions, values, constants, meter),
    }
  } catch (error) {
    if (error instanceof SyntaxIssue) return refused([error])
    throw error
  }
}
