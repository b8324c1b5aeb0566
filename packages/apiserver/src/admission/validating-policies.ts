import type { Input } from '@wherry/cel/internal/evaluator'
import { cel } from '../schema/rules.ts'
import { StatusError } from '../status.ts'
import { BoundPolicies, type PolicyHost } from './bound-policies.ts'
import type { Policy } from './policy.ts'
import { type Attributes, shownName } from './review.ts'

type Refusal = ReturnType<ReturnType<typeof cel>['evaluateValidations']>[number]

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 }

/** Refuses writes by ValidatingAdmissionPolicies and their bindings. Nothing is audited here. */
export class ValidatingPolicies {
  readonly #bound: BoundPolicies

  constructor(host: PolicyHost) {
    this.#bound = new BoundPolicies(host, 'validating')
  }

  /** Whether no policy has a binding. */
  get idle(): boolean {
    return this.#bound.idle
  }

  /** Throws the first refusal. `warn` receives each warning for the request's sender. */
  validate(asked: Attributes, warn: (text: string) => void): void {
    let first: StatusError | undefined
    for (const { policy, binding, at, param, problem } of this.#bound.invocations(asked)) {
      const of = `ValidatingAdmissionPolicy '${policy.name}'`
      const by = binding === undefined ? of : `${of} with binding '${binding.name}'`
      const failed: Refusal[] = policy.ignoresFailures
        ? []
        : [{ message: problem, reason: 'Invalid', isUnconditional: true }]
      const refusals = problem === '' ? evaluate(policy, this.#bound.input(asked, at, param)) : failed
      for (const refusal of refusals) {
        const denies = refusal.isUnconditional || binding?.actions.includes('Deny') === true
        if (denies) first ??= refused(by, refusal, asked)
        if (refusal.isUnconditional || binding?.actions.includes('Warn') !== true) continue
        warn(`Validation failed for ${by}: ${refusal.message}`)
      }
    }
    if (first !== undefined) throw first
  }
}

/** The objections of a policy to a request, with the given params. */
function evaluate(policy: Policy, input: Input): readonly Refusal[] {
  const values = cel().inputValues(input, policy.variables)
  const holds = cel().conditionsHold(policy.conditions, values)
  if (holds === false) return []
  if (holds === true) return cel().evaluateValidations(policy, values)
  return policy.ignoresFailures ? [] : [{ message: holds, reason: 'Invalid', isUnconditional: false }]
}

function refused(by: string, { message, reason }: Refusal, asked: Attributes): StatusError {
  const why = `${by} denied request: ${message}`
  const refusal = StatusError.forbidden(asked.type, shownName(asked), why)
  return new StatusError(codes[reason] ?? 422, reason, refusal.message, {
    details: { ...refusal.details, causes: [{ message: why }] },
  })
}
