import {
  compileExpression,
  conditionsHold,
  type Declared,
  type Expression,
  evaluateExpression,
  inputValues,
  type Variable,
} from './admission.ts'
import type { User } from './authorization.ts'
import type { Json, JsonObject } from './json/json.ts'
import { usableMessage } from './validator.ts'

/** A ValidatingAdmissionPolicy or a MutatingAdmissionPolicy, as far as it is looked at here. */
export interface PolicyManifest {
  readonly spec: {
    readonly failurePolicy?: string | undefined
    readonly paramKind?: object | undefined
    readonly variables?: readonly { readonly name: string; readonly expression: string }[] | undefined
    readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined
    readonly validations?:
      | readonly {
          readonly expression: string
          readonly message?: string | undefined
          readonly messageExpression?: string | undefined
          readonly reason?: string | undefined
        }[]
      | undefined
    readonly mutations?:
      | readonly {
          readonly patchType?: string | undefined
          readonly applyConfiguration?: { readonly expression?: string | undefined } | undefined
          readonly jsonPatch?: { readonly expression?: string | undefined } | undefined
        }[]
      | undefined
  }
}

/** A request that a policy is asked about. */
export interface PolicyRequest {
  /** `undefined` for a deletion. */
  readonly object?: object | undefined
  /** `undefined` for a creation. */
  readonly oldObject?: object | undefined
  /** The object of `paramKind` that a binding names. */
  readonly params?: object | undefined
  /** The namespace of the object. @default null */
  readonly namespaceObject?: object | undefined
  /** `request.operation`. @default what the objects say */
  readonly operation?: 'CREATE' | 'UPDATE' | 'DELETE' | undefined
  /** `request.userInfo`. @default a user without a name */
  readonly user?: { readonly username: string; readonly groups?: readonly string[] | undefined } | undefined
  /** More fields of `request`, such as `dryRun`. */
  readonly request?: Readonly<Record<string, unknown>> | undefined
  /** What `authorizer` answers. @default nothing is allowed */
  readonly allows?:
    | ((asked: { readonly verb: string; readonly resource: string; readonly group: string }) => boolean)
    | undefined
}

/** A validation of a policy that does not hold. */
export interface PolicyRefusal {
  readonly message: string
  /** For example `Invalid` or `Forbidden`. */
  readonly reason: string
}

/** What a policy says of a request. */
export interface PolicyAnswer {
  /** Whether the match conditions hold. If not, the policy says nothing. */
  readonly matches: boolean
  /** Empty if the request is allowed. An expression that fails is a refusal, unless `failurePolicy` is `Ignore`. */
  readonly refusals: readonly PolicyRefusal[]
}

/** An expression of a policy that does not compile. */
export interface PolicyProblem {
  /** Where, for example `spec.validations[0].expression`. */
  readonly field: string
  /** In the API server's words. */
  readonly message: string
}

interface Compiled {
  readonly variables: readonly Variable[]
  readonly conditions: readonly Expression[]
  readonly validations: readonly {
    readonly expression: Expression
    readonly message: string
    readonly told: Expression | undefined
    readonly reason: string
  }[]
  readonly all: readonly (readonly [field: string, expression: Expression])[]
}

function compiled({ spec }: PolicyManifest): Compiled {
  const plain: Declared = { params: spec.paramKind !== undefined, authorizer: true }
  const all: [string, Expression][] = []
  const noted = (field: string, expression: Expression): Expression => {
    all.push([field, expression])
    return expression
  }
  const variables: Variable[] = []
  for (const [i, { name, expression }] of (spec.variables ?? []).entries()) {
    // Each sees those before it.
    const one = compileExpression(expression, [], { ...plain, variables: [...variables] })
    variables.push({ name, expression: noted(`spec.variables[${i}].expression`, one) })
  }
  const declared: Declared = { ...plain, variables }
  const conditions = (spec.matchConditions ?? []).map(({ expression }, i) =>
    noted(`spec.matchConditions[${i}].expression`, compileExpression(expression, ['bool'], declared)),
  )
  const validations = (spec.validations ?? []).map(({ expression, message, messageExpression, reason }, i) => ({
    expression: noted(`spec.validations[${i}].expression`, compileExpression(expression, ['bool'], declared)),
    message: (message ?? '').trim(),
    told:
      messageExpression === undefined
        ? undefined
        : noted(
            `spec.validations[${i}].messageExpression`,
            compileExpression(messageExpression, ['string'], { ...declared, authorizer: false }),
          ),
    reason: reason ?? 'Invalid',
  }))
  for (const [i, { patchType, applyConfiguration, jsonPatch }] of (spec.mutations ?? []).entries()) {
    const isApplied = patchType === 'ApplyConfiguration'
    const source = (isApplied ? applyConfiguration : jsonPatch)?.expression ?? ''
    const returns = isApplied ? 'Object' : 'list(JSONPatch)'
    const field = `spec.mutations[${i}].${isApplied ? 'applyConfiguration' : 'jsonPatch'}.expression`
    noted(field, compileExpression(source, [returns], { ...declared, messages: true }))
  }
  return { variables, conditions, validations, all }
}

/** The expressions of a policy that an API server would refuse. Empty if it takes all of them. Costs are not looked at. */
export function policyProblems(policy: PolicyManifest): readonly PolicyProblem[] {
  return compiled(policy).all.flatMap(([field, { problem }]) => (problem === '' ? [] : [{ field, message: problem }]))
}

/**
 * What a ValidatingAdmissionPolicy says of a request, without a server: match conditions, variables, validations and their messages. Which requests it is asked
 * about (`matchConstraints`, bindings) is not looked at.
 */
export function evaluatePolicy(policy: PolicyManifest, asked: PolicyRequest): PolicyAnswer {
  const { variables, conditions, validations } = compiled(policy)
  const ignores = policy.spec.failurePolicy === 'Ignore'
  const failed = (message: string): PolicyRefusal[] => (ignores ? [] : [{ message, reason: 'Invalid' }])
  const values = inputValues(inputOf(asked), variables)
  const holds = conditionsHold(conditions, values)
  if (holds === false) return { matches: false, refusals: [] }
  if (holds !== true) return { matches: true, refusals: failed(holds) }
  const refusals = validations.flatMap(({ expression, message, told, reason }): PolicyRefusal[] => {
    const result = evaluateExpression(expression, values)
    if ('error' in result) return failed(result.error)
    if (result.value === true) return []
    const said = told === undefined ? undefined : evaluateExpression(told, values)
    const made = said !== undefined && 'value' in said ? usableMessage(said.value) : undefined
    return [{ message: made ?? (message === '' ? `failed expression: ${expression.source.trim()}` : message), reason }]
  })
  return { matches: true, refusals }
}

function inputOf(asked: PolicyRequest): Parameters<typeof inputValues>[0] {
  const { object, oldObject, params, namespaceObject, allows = () => false, request = {} } = asked
  const operation = asked.operation ?? (object === undefined ? 'DELETE' : oldObject === undefined ? 'CREATE' : 'UPDATE')
  const { username, groups = [] } = asked.user ?? { username: '' }
  const { metadata = {} } = (object ?? oldObject ?? {}) as { metadata?: { name?: string; namespace?: string } }
  const { name = '', namespace = '' } = metadata
  const user: User = { name: username, groups }
  return {
    ...{ object: object as Json, oldObject: oldObject as Json, params: params as Json, user },
    namespaceObject: namespaceObject as Json,
    typed: { object: false, params: false },
    request: { name, namespace, operation, userInfo: { username, groups }, dryRun: false, ...request } as JsonObject,
    decide: ({ verb, resource, group }) => ({ allowed: allows({ verb, resource, group }) }),
    resource: { group: '', resource: '', subresource: '', namespace, name },
  }
}
