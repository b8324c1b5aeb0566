import { type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { Declared, Expression, Variable } from '@wherry/cel/internal/evaluator'
import type { KubeObject } from '../objects/object.ts'
import { cel } from '../schema/rules.ts'
import { compileConditions } from '../webhooks/conditions.ts'
import { type HookRule, ruleOf } from '../webhooks/match.ts'
import type { Criteria } from '../webhooks/selection.ts'

/** Which requests a policy or a binding is about (`matchConstraints`, `matchResources`). */
export interface Resources extends Criteria {
  readonly excluded: readonly HookRule[]
}

/** What all policies have. */
export interface Policy {
  readonly name: string
  readonly resources: Resources
  readonly ignoresFailures: boolean
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined
  readonly variables: readonly Variable[]
  readonly conditions: readonly Expression[]
}

/** A ValidatingAdmissionPolicy, read and compiled. */
export interface ValidatingPolicy extends Policy {
  readonly validations: readonly Validation[]
  readonly auditAnnotations: readonly Expression[]
}

/** One of the rules of a policy. */
export interface Validation {
  readonly expression: Expression
  readonly message: string
  readonly messageExpression: Expression | undefined
  readonly reason: string
}

/** A binding of a policy, read. */
export interface Binding {
  readonly name: string
  readonly policy: string
  /** `undefined`: everything that the policy is about. */
  readonly resources: Resources | undefined
  readonly paramRef: JsonObject | undefined
  readonly actions: readonly string[]
}

/** The variables of a policy, each compiled with those before it. */
function compileVariables(spec: JsonObject, declared: Declared): Variable[] {
  const variables: Variable[] = []
  for (const one of objectsAt(spec, 'variables')) {
    const source = stringAt(one, 'expression') ?? ''
    const expression = cel().compileExpression(source, [], { ...declared, variables: [...variables] })
    variables.push({ name: stringAt(one, 'name') ?? '', expression })
  }
  return variables
}

/** Reads what all policies have. `declared`: the variables of their expressions. */
export function readCommon(object: KubeObject): Policy & { readonly declared: Declared } {
  const spec = objectAt(object, 'spec') ?? {}
  const paramKind = objectAt(spec, 'paramKind')
  const plain: Declared = { params: paramKind !== undefined, authorizer: true }
  const variables = compileVariables(spec, plain)
  const declared: Declared = { ...plain, variables }
  return {
    declared,
    name: object.metadata.name ?? '',
    resources: readResources(objectAt(spec, 'matchConstraints') ?? {}),
    ignoresFailures: stringAt(spec, 'failurePolicy') === 'Ignore',
    paramKind: paramKind && {
      apiVersion: stringAt(paramKind, 'apiVersion') ?? '',
      kind: stringAt(paramKind, 'kind') ?? '',
    },
    variables,
    conditions: compileConditions(spec, declared),
  }
}

export function readPolicy(object: KubeObject): ValidatingPolicy {
  const spec = objectAt(object, 'spec') ?? {}
  const { declared, ...common } = readCommon(object)
  const compile = (source: string, ...returns: string[]): Expression =>
    cel().compileExpression(source, returns, declared)
  return {
    ...common,
    validations: objectsAt(spec, 'validations').map(one => {
      const messageExpression = stringAt(one, 'messageExpression') ?? ''
      return {
        expression: compile(stringAt(one, 'expression') ?? '', 'bool'),
        message: (stringAt(one, 'message') ?? '').trim(),
        messageExpression:
          messageExpression === ''
            ? undefined
            : cel().compileExpression(messageExpression, ['string'], { ...declared, authorizer: false }),
        reason: stringAt(one, 'reason') ?? 'Invalid',
      }
    }),
    auditAnnotations: objectsAt(spec, 'auditAnnotations').map(one =>
      compile(stringAt(one, 'valueExpression') ?? '', 'string', 'null_type'),
    ),
  }
}

export function readBinding(object: KubeObject): Binding {
  const spec = objectAt(object, 'spec') ?? {}
  const resources = objectAt(spec, 'matchResources')
  const actions = own(spec, 'validationActions')
  return {
    name: object.metadata.name ?? '',
    policy: stringAt(spec, 'policyName') ?? '',
    resources: resources && readResources(resources),
    paramRef: objectAt(spec, 'paramRef'),
    actions: Array.isArray(actions) ? (actions as string[]) : [],
  }
}

function readResources(resources: JsonObject): Resources {
  return {
    rules: objectsAt(resources, 'resourceRules').map(ruleOf),
    excluded: objectsAt(resources, 'excludeResourceRules').map(ruleOf),
    equivalent: stringAt(resources, 'matchPolicy') !== 'Exact',
    namespaceSelector: objectAt(resources, 'namespaceSelector') ?? {},
    objectSelector: objectAt(resources, 'objectSelector') ?? {},
  }
}
