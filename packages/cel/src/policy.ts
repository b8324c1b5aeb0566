import { conditionsHold, type Input, inputValues } from './admission.ts'
import type { User } from './authorization.ts'
import {
  compilePolicy,
  evaluateMutations,
  evaluateValidations,
  type MutationResult,
  type PolicyProblem,
  type PolicyRefusal,
} from './compiled-policy.ts'
import type { Json, JsonObject } from './json/json.ts'
import type { PolicyManifest } from './policy-manifest.ts'

/** A request to evaluate a policy for. */
export interface PolicyRequest {
  /** The object; `undefined` for a deletion. */
  readonly object?: object | undefined
  /** The old object; `undefined` for a creation. */
  readonly oldObject?: object | undefined
  /** The params: the object of `paramKind` that a binding refers to. */
  readonly params?: object | undefined
  /** The namespace of the object. @default null */
  readonly namespaceObject?: object | undefined
  /** `request.operation`. @default as the objects imply */
  readonly operation?: 'CREATE' | 'UPDATE' | 'DELETE' | undefined
  /** `request.userInfo`. @default a user without a name */
  readonly user?: { readonly username: string; readonly groups?: readonly string[] | undefined } | undefined
  /** Further fields of `request`, such as `dryRun`. */
  readonly request?: Readonly<Record<string, unknown>> | undefined
  /** The answers of `authorizer`. @default nothing is allowed */
  readonly allows?:
    | ((asked: { readonly verb: string; readonly resource: string; readonly group: string }) => boolean)
    | undefined
}

/** The result of a policy for a request. */
export interface PolicyAnswer {
  /** Whether the match conditions hold. If not, the policy does not apply. Also true if none is false and some fail: then `refusals` has the failure. */
  readonly matches: boolean
  /** The refusals; empty if the request is allowed. An expression that fails is a refusal, unless `failurePolicy` is `Ignore`. */
  readonly refusals: readonly PolicyRefusal[]
  /**
   * The result of each mutation that does not fail, for the object of the request. A server evaluates each mutation on the result of the mutations before.
   */
  readonly mutations: readonly MutationResult[]
}

/**
 * The expressions of a policy that an API server would refuse. Empty if the server would accept all of them. Costs are not checked.
 *
 * @example
 * ```ts
 * import { policyProblems } from '@wherry/cel'
 *
 * const spec = { validations: [{ expression: 'object.spec.players <=' }] }
 * console.log(policyProblems({ spec }).map(({ field }) => field)) // [ 'spec.validations[0].expression' ]
 * ```
 */
export function policyProblems(policy: PolicyManifest): readonly PolicyProblem[] {
  return compilePolicy(policy).problems
}

/**
 * Evaluates a policy for a request without a server: match conditions, variables, validations and their messages, mutations. `matchConstraints` and bindings
 * are not evaluated.
 *
 * @example
 * ```ts
 * import { evaluatePolicy } from '@wherry/cel'
 *
 * const policy = { spec: { validations: [{ expression: 'object.spec.players <= 8', message: 'at most 8' }] } }
 * console.log(evaluatePolicy(policy, { object: { spec: { players: 9 } } }).refusals) // [ { message: 'at most 8', … } ]
 * ```
 */
export function evaluatePolicy(policy: PolicyManifest, asked: PolicyRequest): PolicyAnswer {
  const compiled = compilePolicy(policy)
  const values = inputValues(inputOf(asked), compiled.variables)
  const holds = conditionsHold(compiled.conditions, values)
  if (holds === false) return { matches: false, refusals: [], mutations: [] }
  if (holds !== true) {
    return {
      matches: true,
      refusals: compiled.ignoresFailures ? [] : [{ message: holds, reason: 'Invalid' }],
      mutations: [],
    }
  }
  const { mutations, failures } = evaluateMutations(compiled, values)
  const refusals = [...evaluateValidations(compiled, values), ...failures].map(({ message, reason }) => ({
    message,
    reason,
  }))
  return { matches: true, refusals, mutations }
}

function inputOf(asked: PolicyRequest): Input {
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
