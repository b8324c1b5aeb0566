import type { PolicyManifest } from '@wherry/cel'
import { type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { CompiledPolicy } from '@wherry/cel/internal/evaluator'
import type { KubeObject } from '../objects/object.ts'
import { cel } from '../schema/rules.ts'
import { type HookRule, ruleOf } from '../selectors/match.ts'
import type { Criteria } from './selection.ts'

/** The criteria by which a policy or a binding matches requests (`matchConstraints`, `matchResources`). */
export interface Resources extends Criteria {
  readonly excluded: readonly HookRule[]
}

/** A ValidatingAdmissionPolicy or a MutatingAdmissionPolicy, read and compiled. */
export interface Policy extends CompiledPolicy {
  readonly name: string
  readonly resources: Resources
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined
  /** Whether the policy's mutations are carried out again after those of other policies (MutatingAdmissionPolicy). */
  readonly isReinvoked: boolean
}

/** A binding of a policy, read. */
export interface Binding {
  readonly name: string
  readonly policy: string
  /** The criteria of the binding; `undefined` if it applies to all requests that the policy matches. */
  readonly resources: Resources | undefined
  readonly paramRef: JsonObject | undefined
  readonly actions: readonly string[]
}

export function readPolicy(object: KubeObject): Policy {
  const spec = objectAt(object, 'spec') ?? {}
  const paramKind = objectAt(spec, 'paramKind')
  return {
    ...cel().compilePolicy({ spec } as unknown as PolicyManifest),
    name: object.metadata.name ?? '',
    resources: readResources(objectAt(spec, 'matchConstraints') ?? {}),
    paramKind: paramKind && {
      apiVersion: stringAt(paramKind, 'apiVersion') ?? '',
      kind: stringAt(paramKind, 'kind') ?? '',
    },
    isReinvoked: stringAt(spec, 'reinvocationPolicy') === 'IfNeeded',
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
