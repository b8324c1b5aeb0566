import { compileExpression, type Declared, type Expression, evaluateExpression, type Variable } from './admission.ts'
import type { Variables } from './evaluate.ts'
import type { JsonObject } from './json/json.ts'
import { jsonOf, MutationError, nameProblems, operationsOf } from './mutation.ts'
import type { PolicyManifest } from './policy-manifest.ts'
import { usableMessage } from './validator.ts'

/** An expression of a policy that does not compile. */
export interface PolicyProblem {
  /** The path of the expression, for example `spec.validations[0].expression`. */
  readonly field: string
  /** The message, in the API server's words. */
  readonly message: string
}

/** A validation of a policy that does not hold. */
export interface PolicyRefusal {
  readonly message: string
  /** For example `Invalid` or `Forbidden`. */
  readonly reason: string
}

/** The result of a policy's mutation: a configuration that is applied, or the operations of a JSON patch. */
export type MutationResult =
  | { readonly apply: Readonly<Record<string, unknown>> }
  | {
      readonly patch: readonly {
        readonly op: string
        readonly path: string
        readonly from?: string
        readonly value?: unknown
      }[]
    }

/** The compiled expressions of a policy. An expression that does not compile is kept with its problem, and fails if it is evaluated. */
export interface CompiledPolicy {
  readonly ignoresFailures: boolean
  readonly variables: readonly Variable[]
  readonly conditions: readonly Expression[]
  readonly validations: readonly {
    readonly expression: Expression
    readonly message: string
    readonly messageExpression: Expression | undefined
    readonly reason: string
  }[]
  readonly auditAnnotations: readonly Expression[]
  readonly mutations: readonly { readonly isApplied: boolean; readonly expression: Expression }[]
  /** The expressions that do not compile. */
  readonly problems: readonly PolicyProblem[]
}

/** A validation or an audit annotation that refuses a request. */
export interface CompiledRefusal extends PolicyRefusal {
  /** Whether the request is refused whichever actions the binding lists. */
  readonly isUnconditional: boolean
}

export function compilePolicy({ spec }: PolicyManifest): CompiledPolicy {
  const plain: Declared = { params: (spec.paramKind ?? undefined) !== undefined, authorizer: true }
  const problems: PolicyProblem[] = []
  const compile = (
    field: string,
    source: string | undefined,
    returns: readonly string[],
    declared: Declared,
  ): Expression => {
    const expression = compileExpression(source ?? '', returns, declared)
    if (expression.problem !== '') problems.push({ field: `spec.${field}`, message: expression.problem })
    return expression
  }
  const variables: Variable[] = []
  for (const [i, { name, expression }] of (spec.variables ?? []).entries()) {
    // A variable can use the variables before it.
    const seen = { ...plain, variables: [...variables] }
    variables.push({ name, expression: compile(`variables[${i}].expression`, expression, [], seen) })
  }
  const declared: Declared = { ...plain, variables }
  const conditions = (spec.matchConditions ?? []).map(({ expression }, i) =>
    compile(`matchConditions[${i}].expression`, expression, ['bool'], declared),
  )
  const validations = (spec.validations ?? []).map(({ expression, message, messageExpression, reason }, i) => ({
    expression: compile(`validations[${i}].expression`, expression, ['bool'], declared),
    message: (message ?? '').trim(),
    messageExpression:
      (messageExpression ?? '') === ''
        ? undefined
        : compile(`validations[${i}].messageExpression`, messageExpression, ['string'], {
            ...declared,
            authorizer: false,
          }),
    reason: reason ?? 'Invalid',
  }))
  const auditAnnotations = (spec.auditAnnotations ?? []).map(({ valueExpression }, i) =>
    compile(`auditAnnotations[${i}].valueExpression`, valueExpression, ['string', 'null_type'], declared),
  )
  const mutations = (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }, i) => {
    const isApplied = patchType === 'ApplyConfiguration'
    const source = (isApplied ? applyConfiguration : jsonPatch)?.expression
    const field = `mutations[${i}].${isApplied ? 'applyConfiguration' : 'jsonPatch'}.expression`
    const returns = [isApplied ? 'Object' : 'list(JSONPatch)']
    return { isApplied, expression: compile(field, source, returns, { ...declared, messages: true }) }
  })
  const ignoresFailures = spec.failurePolicy === 'Ignore'
  return { ignoresFailures, variables, conditions, validations, auditAnnotations, mutations, problems }
}

/** The refusals of a policy's validations and audit annotations, for a request that its match conditions match. */
export function evaluateValidations(policy: CompiledPolicy, values: Variables): readonly CompiledRefusal[] {
  const failed = (message: string, isUnconditional: boolean): CompiledRefusal[] =>
    policy.ignoresFailures ? [] : [{ message, reason: 'Invalid', isUnconditional }]
  const refusals = policy.validations.flatMap(
    ({ expression, message, messageExpression, reason }): CompiledRefusal[] => {
      const result = evaluateExpression(expression, values)
      if ('error' in result) return failed(result.error, false)
      if (result.value === true) return []
      const made = messageExpression && evaluateExpression(messageExpression, values)
      const own = made !== undefined && 'value' in made ? usableMessage(made.value) : undefined
      const text = own ?? (message === '' ? `failed expression: ${expression.source.trim()}` : message)
      return [{ message: text, reason, isUnconditional: false }]
    },
  )
  const unaudited = policy.auditAnnotations.flatMap(annotation => {
    const result = evaluateExpression(annotation, values)
    return 'error' in result ? failed(result.error, true) : []
  })
  return [...refusals, ...unaudited]
}

/** The results of a policy's mutations, for a request that its match conditions match. All mutations are evaluated with the same values. */
export function evaluateMutations(
  policy: CompiledPolicy,
  values: Variables,
): { readonly mutations: readonly MutationResult[]; readonly failures: readonly PolicyRefusal[] } {
  const mutations: MutationResult[] = []
  const failures: PolicyRefusal[] = []
  for (const { isApplied, expression } of policy.mutations) {
    try {
      const result = evaluateExpression(expression, values)
      if ('error' in result) throw new MutationError(result.error)
      if (!isApplied) mutations.push({ patch: operationsOf(result.value) as Operations })
      else {
        const problems = nameProblems(result.value, 'Object')
        if (problems.length > 0) throw new MutationError(`type mismatch: ${problems.join('\n')}`)
        mutations.push({ apply: jsonOf(result.value) as JsonObject })
      }
    } catch (error) {
      if (!(error instanceof MutationError)) throw error
      if (!policy.ignoresFailures) failures.push({ message: error.message, reason: 'Invalid' })
    }
  }
  return { mutations, failures }
}

type Operations = Extract<MutationResult, { readonly patch: unknown }>['patch']
